import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvCells, separatorOf } from './csv-cells.ts'

test('an empty cell is null, and an empty text has quotes', () => {
  assert.deepEqual(csvCells('a,,"",\r\n', ','), ['a', null, '', null])
})

test('quotes hold separators, line breaks and quotes', () => {
  assert.deepEqual(csvCells('"a,b","x\ny","say ""hi""",""""\n', ','), ['a,b', 'x\ny', 'say "hi"', '"'])
})

test('a quote inside a cell is text, and spaces count', () => {
  assert.deepEqual(csvCells('5" pipe, a ,"b" ,c', ','), ['5" pipe', ' a ', 'b', 'c'])
})

test('the header shows the separator', () => {
  assert.equal(separatorOf('a,b;c'), ',')
  assert.equal(separatorOf('"a,b";c'), ';')
  assert.equal(separatorOf('a\tb'), '\t')
  assert.equal(separatorOf('name'), ',')
})
