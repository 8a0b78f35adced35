// 500 types in 60 files start and reload fast. `npm run bench -- types` measures it; these bounds on CPU time are far above its
// figures, and far below those of work that grows with the square of the types.
// stores: sqlite
// process: own (it measures CPU time)

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startCpuTimer } from '../../packages/twain/src/base/cpu-time.fixture.ts'
import { openService } from '../../packages/twain/src/main/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { silent } from '../../packages/twain/src/store/store.fixture.ts'
import { fileOf, largeSchema, writeSchema } from '../generate/large-schema.ts'

const [types, files] = [500, 60]
const maxStartMs = 8000
const maxReloadMs = 4000

test('500 types in 60 files start and reload fast', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-large-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const schemaFile = join(folder, 'schema')
  writeSchema(schemaFile, largeSchema(types, files))

  const start = startCpuTimer()
  const service = await openService({ schemaFile, data: folder, limits: defaultLimits, log: silent })
  const startMs = start()
  t.after(() => service.close())
  assert.equal(service.model.resources.length, types)

  const file = join(schemaFile, fileOf(7, files - 1))
  writeFileSync(file, readFileSync(file, 'utf8').replace('count: Int!', 'more: String\n  count: Int!'))
  const reload = startCpuTimer()
  const { kind } = await service.reload()
  const reloadMs = reload()
  assert.equal(kind, 'swapped')
  assert.ok(startMs < maxStartMs && reloadMs < maxReloadMs, `start ${startMs} ms, reload ${reloadMs} ms of CPU`)
})
