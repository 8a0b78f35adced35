import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readCommandLine } from './command-line.ts'
import { readEnvironment } from './environment.ts'
import { unknownVariables } from './settings.ts'

test('the environment overrides .env, and an empty variable counts as not set', () => {
  const mistakes: string[] = []
  const { values, sources } = readEnvironment(
    ['TWAIN_PORT', 'TWAIN_HOST', 'TWAIN_DATA', 'TWAIN_SEED'],
    { TWAIN_PORT: '5000', TWAIN_HOST: '', OTHER: 'x' },
    { TWAIN_PORT: '6000', TWAIN_HOST: '::1', TWAIN_DATA: '' },
    mistakes,
  )
  assert.deepEqual(mistakes, [])
  assert.deepEqual(values, { TWAIN_PORT: '5000', TWAIN_HOST: '::1' })
  assert.deepEqual(
    [...sources],
    [
      ['TWAIN_PORT', 'TWAIN_PORT'],
      ['TWAIN_HOST', 'TWAIN_HOST in .env'],
    ],
  )
})

test('a variable that ends with _FILE names a file with the value', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-environment-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'secret')
  writeFileSync(file, ' a secret \n')
  const mistakes: string[] = []
  const names = ['TWAIN_AUTH_SECRET', 'TWAIN_FILES_SECRET_KEY', 'TWAIN_DATABASE']
  const { values, sources } = readEnvironment(
    names,
    { TWAIN_AUTH_SECRET_FILE: file, TWAIN_FILES_SECRET_KEY: 'x', TWAIN_FILES_SECRET_KEY_FILE: file },
    { TWAIN_AUTH_SECRET: 'in .env', TWAIN_DATABASE_FILE: join(folder, 'none') },
    mistakes,
  )
  assert.equal(values.TWAIN_AUTH_SECRET, ' a secret ')
  assert.equal(sources.get('TWAIN_AUTH_SECRET'), 'TWAIN_AUTH_SECRET_FILE')
  assert.deepEqual(mistakes, [
    'TWAIN_FILES_SECRET_KEY and TWAIN_FILES_SECRET_KEY_FILE are both set; remove one of them.',
    `TWAIN_DATABASE_FILE in .env: ${join(folder, 'none')} can't be read (ENOENT).`,
  ])
  assert.deepEqual(unknownVariables({ TWAIN_DATABASE_FILE: '' }), [])
})

test('mistakes name the place of a value; flags are above all, twain.config.ts is below all', async () => {
  const line = await readCommandLine(['start', 'none.graphql', '--port', '1'], {}, { TWAIN_PORT: '2', TWAIN_HOST: 'h' })
  assert.deepEqual(line.kind === 'run' && [line.settings.port, line.settings.host], [1, 'h'])
  const wrong = await readCommandLine(['start', 'none.graphql'], {}, { TWAIN_PORT: 'two' })
  assert.deepEqual(wrong.kind === 'mistakes' && wrong.mistakes, [
    'TWAIN_PORT in .env must be a whole number, from 0 to 65535, not "two".',
  ])
})
