import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPaint } from './paint.ts'

test('texts have colours on a terminal with colours only', () => {
  assert.equal(createPaint(true).red('no'), '\x1b[31mno\x1b[39m')
  assert.equal(createPaint(false).red('no'), 'no')
})
