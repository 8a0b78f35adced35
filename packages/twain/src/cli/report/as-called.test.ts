import assert from 'node:assert/strict'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { callerOf } from './as-called.ts'

const here = process.cwd()

test('who called twain by its name calls it so again', () => {
  const { twain, place } = callerOf({ INIT_CWD: '/elsewhere' })
  assert.deepEqual([twain, place('./data')], ['twain', './data'])
})

test('who came by npm goes on by npx, with the folder as it is called from where they are', () => {
  for (const command of ['start', 'run-script', 'exec']) {
    const { twain, place } = callerOf({ npm_command: command, INIT_CWD: here })
    assert.deepEqual([twain, place('./data')], ['npx twain', './data'])
  }
  const above = callerOf({ npm_command: 'start', INIT_CWD: dirname(here) })
  assert.equal(join(dirname(here), above.place('./data')), join(here, 'data'))
  assert.equal(above.place('..'), '.')
  assert.equal(above.place(here), here)
})
