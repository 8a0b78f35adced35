import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)
const fixture = join(import.meta.dirname, 'young-generation.fixture.ts')

test('the young generation grows again after V8 has made it small', async () => {
  const { stdout } = await run(process.execPath, ['--expose-gc', fixture])
  const { before, small, after } = JSON.parse(stdout) as Record<string, number>
  assert.ok(before! === 32, `${before} MB after work`)
  assert.ok(small! <= 4, `${small} MB after V8 made it small`)
  assert.ok(after! === 32, `${after} MB after more work`)
})
