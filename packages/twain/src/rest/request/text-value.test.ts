import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stored } from '#library'
import { textToValue } from './text-value.ts'

test('text becomes a number for a number field, in the syntax of JSON', () => {
  assert.equal(value('pages', '-12'), -12)
  assert.equal(value('rating', '1.5e3'), 1500)
})

test('text that is not a JSON number stays text, which the check reports', () => {
  for (const text of ['', ' 1', '01', '+1', '.5', '1.', '0x10', 'Infinity', '1_000']) {
    assert.equal(value('pages', text), text)
    assert.equal(value('rating', text), text)
  }
})

test('true and false become a Boolean', () => {
  assert.deepEqual([value('inPrint', 'true'), value('inPrint', 'false'), value('inPrint', '1')], [true, false, '1'])
})

test('text, ids, times, enums and exact numbers stay as they are', () => {
  for (const name of ['title', 'id', 'code', 'published', 'genre', 'price', 'sold'])
    assert.equal(value(name, '12'), '12')
})

test('JSON is parsed, and stays text if it is not valid', () => {
  assert.deepEqual(value('notes', '{"a": [1]}'), { a: [1] })
  assert.equal(value('colour', 'red'), 'red')
  assert.equal(value('colour', '"12"'), '12')
  assert.deepEqual(value('labels', '["a"]'), ['a'])
  assert.equal(value('labels', 'a'), 'a')
})

function value(name: string, text: string): unknown {
  return textToValue(stored(`Book.${name}`).type, text)
}
