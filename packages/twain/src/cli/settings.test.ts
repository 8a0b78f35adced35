import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings, strangeVariables } from './settings.ts'

test('a flag counts over a variable, and a variable over the default', () => {
  const mistakes: string[] = []
  const env = { TWAIN_PORT: '5000', TWAIN_LIMITS_DEPTH: '7', TWAIN_LIMITS_COST: '8', TWAIN_HOST: '' }
  const read = readSettings(new Map([['limits-depth', '9']]), env, mistakes)

  assert.deepEqual(mistakes, [])
  assert.equal(read.port, 5000)
  assert.equal(read.portChosen, true)
  assert.equal(read.host, '127.0.0.1')
  assert.equal(read.data, './data')
  assert.equal(read.seed, null)
  assert.deepEqual(read.limits, {
    depth: 9,
    cost: 8,
    page: 100,
    body: 1_048_576,
    upload: 10_485_760,
    tokens: 2000,
    time: 30,
  })
})

test('bad values are told all at once, under the name by which they came', () => {
  const mistakes: string[] = []
  readSettings(
    new Map([
      ['port', '70000'],
      ['data', ''],
    ]),
    { TWAIN_LIMITS_PAGE: '-1' },
    mistakes,
  )
  assert.deepEqual(mistakes.sort(), [
    '--data is empty.',
    '--port wants a whole number, from 0 to 65535, and got "70000".',
    'TWAIN_LIMITS_PAGE wants a whole number, 0 or more, and got "-1".',
  ])
})

test('a variable that is no setting is told, with the one that was meant', () => {
  assert.deepEqual(strangeVariables({ TWAIN_LIMITS_DEPHT: '3', TWAIN_PORT: '1', PATH: 'x' }), [
    'The variable TWAIN_LIMITS_DEPHT is no setting of twain. Did you mean "TWAIN_LIMITS_DEPTH"?',
  ])
})
