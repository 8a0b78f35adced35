import assert from 'node:assert/strict'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { callerOf } from './as-called.ts'

const here = process.cwd()

test('commands use twain if the user called twain', () => {
  const { twain, place } = callerOf({ INIT_CWD: '/elsewhere' })
  assert.deepEqual([twain, place('./data')], ['twain', './data'])
})

test('commands use npx twain under npm, with paths relative to the folder of the user', () => {
  for (const command of ['start', 'run-script', 'exec']) {
    const { twain, place } = callerOf({ npm_command: command, INIT_CWD: here })
    assert.deepEqual([twain, place('./data')], ['npx twain', './data'])
  }
  const above = callerOf({ npm_command: 'start', INIT_CWD: dirname(here) })
  assert.equal(join(dirname(here), above.place('./data')), join(here, 'data'))
  assert.equal(above.place('..'), '.')
  assert.equal(above.place(here), here)
})
