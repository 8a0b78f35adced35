// stores: none

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foreignTime } from './time-sources.ts'

test('clocks, timers and random values of Node are found; those of base/time are not', () => {
  for (const line of [
    'const at = Date.now()',
    'const at = new Date()',
    'const at = performance.now()',
    'clock = Date.now,',
    'const share = Math.random()',
    'setTimeout(run, 5)',
    'this.#timer = setInterval(() => run(), 5)',
    'clearTimeout(timer)',
    "import { randomUUID } from 'node:crypto'",
    "import { setTimeout as sleep } from 'node:timers/promises'",
    "import { setTimeout as sleep } from 'timers/promises'",
    "import { scheduler } from 'node:timers/promises'",
    "import {\n  createHash,\n  randomBytes,\n} from 'crypto'",
    "import crypto from 'node:crypto'",
    "import crypto, { createHash } from 'node:crypto'",
    "import * as timers from 'node:timers'",
    "const { randomUUID } = await import('node:crypto')",
    'const id = crypto.randomUUID()',
    'globalThis.crypto.getRandomValues(bytes)',
    'const at = new Date',
    'const at = +new Date;',
    'const text = Date()',
    'global.setTimeout(run, 5)',
    'fetch(url, { signal: AbortSignal.timeout(5) })',
  ])
    assert.equal(foreignTime(line).length, 1, line)
  for (const line of [
    "import { setTimeout, clearTimeout } from '#base/time'\nclearTimeout(setTimeout(run, 5))",
    "import { createHash } from 'node:crypto'",
    "import { setImmediate } from 'node:timers/promises'",
    '// the time of `Date.now`',
    'const at = new Date(time)',
    "import { createHash, type Hash } from 'node:crypto'",
    "import type { KeyObject } from 'node:crypto'",
    'Date.parse(text)',
  ])
    assert.deepEqual(foreignTime(line), [], line)
})
