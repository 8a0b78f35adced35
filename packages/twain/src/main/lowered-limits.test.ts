// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadModel } from '#model'
import { defaultLimits, type Limits } from '#plan'
import { openStore } from '#store'
import { makeTestPlace } from '#test-place'
import { warnOfLoweredLimits } from './lowered-limits.ts'

test('a start warns of limits that are lower than those that were last served, once', async (t) => {
  const data = mkdtempSync(join(tmpdir(), 'twain-limits-'))
  const { place, drop } = await makeTestPlace(data)
  const sdl = 'type A @allow { id: ID! }'
  const warnings: unknown[] = []
  const log = { info() {}, error() {}, warn: ({ limits }: { limits?: unknown }) => void warnings.push(limits) }
  const store = await openStore({ ...place, model: loadModel(sdl, 'a.graphql'), sdl, limits: defaultLimits, log })
  t.after(async () => {
    await store.close()
    await drop()
    rmSync(data, { recursive: true })
  })
  const start = async (changed: Partial<Limits>) => {
    await warnOfLoweredLimits({ ...defaultLimits, ...changed }, store.servedLimits, log)
    return warnings.splice(0)
  }
  assert.deepEqual(await start({}), [])
  assert.deepEqual(await start({ page: 200, depth: 0, timeSeconds: 1 }), [])
  assert.deepEqual(await start({ page: 50 }), ['limits.depth from none to 5, limits.page from 200 to 50'])
  assert.deepEqual(await start({ page: 50 }), [])
})
