import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { restricting } from './restricting-references.ts'

test('a delete may be forbidden by what refers to the row, and to what goes along with it', () => {
  const { resources } = loadModel(
    `union Any = A | D
     type A { id: ID! }
     type B { id: ID! a: A! @relation(onDelete: CASCADE) }
     type C { id: ID! b: B! a: A }
     type D { id: ID! any: Any @relation(onDelete: RESTRICT) }`,
    'schema.graphql',
  )
  const found = resources.map((of) => restricting(of, resources).map(({ owner, name }) => `${owner.name}.${name}`))
  assert.deepEqual(found, [['D.any', 'C.b'], ['C.b'], [], ['D.any']])
})
