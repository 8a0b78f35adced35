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
    'fetch(url, { signal: AbortSignal.timeout(5) })',
  ])
    assert.equal(foreignTime(line).length, 1, line)
  for (const line of [
    "import { setTimeout, clearTimeout } from '#base/time'\nclearTimeout(setTimeout(run, 5))",
    "import { createHash } from 'node:crypto'",
    "import { setImmediate } from 'node:timers/promises'",
    '// the time of `Date.now`',
    'const at = new Date(time)',
    'Date.parse(text)',
  ])
    assert.deepEqual(foreignTime(line), [], line)
})
