import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCommandLine } from './command-line.ts'

const read = (line: string, env = {}) => readCommandLine(line.split(' ').filter(Boolean), env)

test('reads a command, its file and its settings, in any order', async () => {
  const line = await read('dev --port 5000 a.graphql --limits-depth=3')
  assert.ok(line.kind === 'run')
  assert.equal(line.command, 'dev')
  assert.equal(line.file, 'a.graphql')
  assert.equal(line.settings.port, 5000)
  assert.equal(line.settings.limits.depth, 3)
})

test('a dash alone is a value', async () => {
  const line = await read('types a.graphql --to -')
  assert.ok(line.kind === 'run')
  assert.equal(line.options.get('to'), '-')
})

test('prints help on --help and without a command', async () => {
  assert.deepEqual(await read(''), { kind: 'help', command: null })
  assert.deepEqual(await read('--help'), { kind: 'help', command: null })
  assert.deepEqual(await read('help start'), { kind: 'help', command: 'start' })
  assert.deepEqual(await read('print -h'), { kind: 'help', command: 'print' })
  assert.deepEqual(await read('--version'), { kind: 'version' })
})

test('reports every mistake with a suggestion', async () => {
  assert.deepEqual(await mistakes('dve a.graphql'), ['There is no command "dve". Did you mean "dev"?'])
  assert.deepEqual(await mistakes('dev --prot 5000 --host'), [
    'There is no flag --prot. Did you mean "--port"?',
    '--host needs a value.',
    // "5000" follows an unknown flag, so it is read as the file.
  ])
  assert.deepEqual(await mistakes('start --port x'), [
    'twain start needs a schema file: twain start schema.graphql',
    '--port must be a whole number, from 0 to 65535, not "x".',
  ])
  assert.deepEqual(await mistakes('start a b'), ['twain start takes one schema file; remove "b".'])
  assert.deepEqual(await mistakes('dev a --port --host'), ['--port needs a value.'])
  assert.deepEqual(await mistakes('--prot 1'), [
    'There is no command "1". The commands are init, dev, start, check, print, migrate, types, config, doctor, seed, import, export, test, token, key, invite, jobs, copy, backup, restore.',
    'There is no flag --prot. Did you mean "--port"?',
  ])
})

test('a command accepts its own settings only, and ignores the variables of other settings', async () => {
  assert.deepEqual(await mistakes('print a.graphql --port 1'), ['twain print does not take --port.'])
  assert.equal((await read('print a.graphql', { TWAIN_PORT: 'x' })).kind, 'run')
})

async function mistakes(text: string): Promise<string[]> {
  const line = await read(text)
  assert.ok(line.kind === 'mistakes')
  return line.mistakes
}
