import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { viewerClassOf } from './viewer-class.ts'
import { ViewerRules } from './viewer-rules.ts'
import { restrictingReferences, writeChecks } from './write-checks.ts'

test('a many-to-many relation with accounts belongs to the other side, whichever comes first', () => {
  const user = 'type User @account @allow { id: ID! email: String! @unique teams: [Team!]! }'
  const team = 'type Team @allow(to: [READ]) @allow(who: "members") { id: ID! members: [User!]! }'
  for (const sdl of [`${user} ${team}`, `${team} ${user}`]) {
    const model = loadModel(sdl, 'schema.graphql')
    const viewer = { account: 'u1', roles: [], authenticated: true, token: null }
    const rules = new ViewerRules(model, viewerClassOf(viewer, model))
    const held = model.resources.map((of) => writeChecks(of, 'update', rules).holders.map(({ field }) => field.name))
    assert.deepEqual(held.flat(), ['teams'])
  }
})

test('a rule for some fields costs no check on its own fields, and no query on the others', () => {
  const model = loadModel(
    `type User @account @allow { id: ID! email: String! @unique }
     type Repair @allow(who: "customer", to: [READ]) @allow(who: "customer", to: [UPDATE], fields: ["note", "helpers"])
       @allow(role: "staff") { id: ID! note: String price: Int helpers: [User!]! customer: User! }`,
    'schema.graphql',
  )
  const checksFor = (roles: string[]) => {
    const viewer = { account: 'u1', roles, authenticated: true, token: null }
    const rules = new ViewerRules(model, viewerClassOf(viewer, model))
    return writeChecks(model.resources[1]!, 'update', rules).fields.map(({ field, update }) => [field.name, update])
  }
  const never = { kind: 'constant', is: false }
  assert.deepEqual(checksFor([]), [
    ['price', never],
    ['customer', never],
  ])
  assert.deepEqual(checksFor(['staff']), [])
})

test('references to the row, and to rows that the delete cascades to, can block a delete', () => {
  const { resources } = loadModel(
    `union Any = A | D
     type A { id: ID! }
     type B { id: ID! a: A! @relation(onDelete: CASCADE) }
     type C { id: ID! b: B! a: A }
     type D { id: ID! any: Any @relation(onDelete: RESTRICT) }`,
    'schema.graphql',
  )
  const found = resources.map((of) =>
    restrictingReferences(of, resources).map(({ owner, name }) => `${owner.name}.${name}`),
  )
  assert.deepEqual(found, [['D.any', 'C.b'], ['C.b'], [], ['D.any']])
})
