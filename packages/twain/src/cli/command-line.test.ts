import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCommandLine } from './command-line.ts'

const read = (line: string, env = {}) => readCommandLine(line.split(' ').filter(Boolean), env)

test('reads a command, its file and its settings, in any order', () => {
  const line = read('dev --port 5000 a.graphql --limits-depth=3')
  assert.ok(line.kind === 'run')
  assert.equal(line.command, 'dev')
  assert.equal(line.file, 'a.graphql')
  assert.equal(line.settings.port, 5000)
  assert.equal(line.settings.limits.depth, 3)
})

test('gives help when it is asked for, or when nothing is said', () => {
  assert.deepEqual(read(''), { kind: 'help', command: null })
  assert.deepEqual(read('--help'), { kind: 'help', command: null })
  assert.deepEqual(read('help start'), { kind: 'help', command: 'start' })
  assert.deepEqual(read('print -h'), { kind: 'help', command: 'print' })
  assert.deepEqual(read('--version'), { kind: 'version' })
})

test('tells every mistake, with what was meant', () => {
  assert.deepEqual(mistakes('dve a.graphql'), ['There is no command "dve". Did you mean "dev"?'])
  assert.deepEqual(mistakes('dev --prot 5000 --host'), [
    'There is no flag --prot. Did you mean "--port"?',
    '--host wants a value.',
    // "5000" stood behind a flag that is none, so it is read as the file.
  ])
  assert.deepEqual(mistakes('start --port x'), [
    'twain start wants a schema file: twain start schema.graphql',
    '--port wants a whole number, from 0 to 65535, and got "x".',
  ])
  assert.deepEqual(mistakes('start a b'), ['twain start takes one schema file; "b" is too much.'])
  assert.deepEqual(mistakes('dev a --port --host'), ['--port wants a value.'])
  assert.deepEqual(mistakes('--prot 1'), [
    'There is no command "1". There are dev, start, check, print, token, key.',
    'There is no flag --prot. Did you mean "--port"?',
  ])
})

test('what is still to come is told as that', () => {
  assert.deepEqual(mistakes('print a.graphql --contract'), [
    '--contract is not built yet; twain print FILE prints the GraphQL schema.',
  ])
})

test('a command takes its own settings only, and does not mind the variables of others', () => {
  assert.deepEqual(mistakes('print a.graphql --port 1'), ['twain print takes no --port.'])
  assert.equal(read('print a.graphql', { TWAIN_PORT: 'x' }).kind, 'run')
})

function mistakes(text: string): string[] {
  const line = read(text)
  assert.ok(line.kind === 'mistakes')
  return line.mistakes
}
