import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formats } from '#base'
import { loadModel, type Resource } from '#model'
import { exampleCreate, exampleMerge, exampleRow, exampleValue } from './examples.ts'

const text = { kind: 'scalar', name: 'String' } as const

test('an example satisfies its constraint, and is left out if none is found', () => {
  assert.equal(exampleValue({ kind: 'scalar', name: 'Int' }, { min: 2.5 }), 3)
  assert.equal(exampleValue({ kind: 'scalar', name: 'Decimal' }, { max: 5 }), '5')
  assert.equal(exampleValue(text, { pattern: '^[A-Z]{2}$' }), 'AA')
  assert.equal(exampleValue(text, { minLength: 12 }, 'name')?.toString().length, 12)
  assert.equal(exampleValue(text, { maxLength: 3 }, 'name'), 'A n')
  assert.equal(exampleValue(text, { format: 'email', maxLength: 3 }), undefined)
})

test('there is an example of every format', () => {
  for (const format of Object.keys(formats)) assert.notEqual(exampleValue(text, { format }), undefined, format)
})

test('the example of a recursive value type ends, and optional members are left out', () => {
  const sdl = `type A { id: ID! tree: Tree odd: String @constraint(format: "uri", maxLength: 2) at: DateTime! @auto(set: CREATE_TIME) to: A! more: A }
    type Tree { name: String! under: [Tree!]! parent: Tree }`
  const of = loadModel(sdl, 'x.graphql').types.get('A') as Resource
  const { tree, odd } = exampleRow(of) as Record<string, unknown>
  assert.deepEqual([tree, odd], [{ name: 'A name', under: [], parent: null }, null])
  assert.deepEqual(Object.keys(exampleCreate(of, true) as object), ['tree', 'odd', 'to', 'password'])
  assert.deepEqual(exampleMerge(of), { odd: null })
})
