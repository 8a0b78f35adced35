import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Parameter } from '#plan'
import { sqlite } from '../sqlite/dialect.ts'
import { quoteName, quoteText } from '../tables/quote.ts'
import { noStorageCodes } from '../tables/storage-codes.ts'
import { bind, bindRead } from './bind.ts'
import { and, joined, StatementBuilder } from './statement-builder.ts'

const parameter = (index: number): Parameter => ({ index, accepts: { kind: 'offset' } })

test('the same parameter in the same encoding is bound once', () => {
  const statement = new StatementBuilder(sqlite)
  const type = { kind: 'scalar', name: 'Int' } as const
  assert.equal(statement.bind(parameter(4), { kind: 'plain' }), '?1')
  assert.equal(statement.bind(parameter(4), { kind: 'column', type, codes: noStorageCodes }), '?2')
  assert.equal(statement.bind(parameter(7), { kind: 'plain' }), '?3')
  assert.equal(statement.bind(parameter(4), { kind: 'plain' }), '?1')
  assert.equal(statement.bind(parameter(4), { kind: 'column', type, codes: noStorageCodes }), '?2')
  assert.deepEqual(
    statement.parameters.map((parameter) => parameter.kind === 'value' && parameter.index),
    [4, 4, 7],
  )
})

test('the constants of a rule and the viewer are bound once too', () => {
  const statement = new StatementBuilder(sqlite)
  const type = { kind: 'scalar', name: 'Boolean' } as const
  assert.equal(statement.bind({ constant: true }, { kind: 'column', type, codes: noStorageCodes }), '?1')
  assert.equal(statement.viewer(), '?2')
  assert.equal(statement.id(), '?3')
  assert.equal(statement.column('name'), '?4')
  assert.equal(statement.column('age'), '?5')
  assert.equal(statement.bind({ constant: true }, { kind: 'column', type, codes: noStorageCodes }), '?1')
  assert.equal(statement.viewer(), '?2')
  assert.equal(statement.id(), '?3')
  assert.equal(statement.column('name'), '?4')
  assert.deepEqual(bind(statement.parameters, [], { account: 'ann' }, sqlite), [1, 'ann', null, null, null])
  const { idAt, columnsAt } = bindRead({ sql: '', parameters: statement.parameters }, [], { account: null }, sqlite)
  assert.deepEqual(idAt, [2])
  assert.deepEqual(columnsAt, [
    { at: 3, column: 'name' },
    { at: 4, column: 'age' },
  ])
})

test('names and texts are quoted, with the quotes in them doubled', () => {
  assert.equal(quoteName('a"b'), '"a""b"')
  assert.equal(quoteText("a'b"), "'a''b'")
})

test('null conditions are left out, and no condition is TRUE', () => {
  assert.equal(and(['a', null, 'b']), 'a AND b')
  assert.equal(and([null]), 'TRUE')
})

test('many conditions become a balanced tree', () => {
  assert.equal(joined(['a', 'b'], 'OR'), '(a OR b)')
  const tree = joined(Array<string>(1000).fill('x'), 'AND')
  assert.equal(tree.match(/x/g)?.length, 1000)
  assert.ok(/^\(+/.exec(tree)![0].length < 10)
})
