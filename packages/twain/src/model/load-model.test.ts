import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectMistakes, mistakesOf } from './expect-mistake.fixture.ts'
import { loadModel } from './load-model.ts'

test('a plain file with no directive is a model', () => {
  const model = loadModel('type LoanRequest { id: ID! amount: Decimal! note: String }', 'shops/my-loans.graphql')
  const [loan] = model.resources
  assert.deepEqual(model.service, { name: 'My Loans', description: null })
  assert.deepEqual([loan?.path, loan?.list, loan?.single], ['loan-requests', 'loanRequests', 'loanRequest'])
  assert.deepEqual([...loan!.fields.keys()], ['id', 'amount', 'note'])
  const amount = loan!.fields.get('amount')
  assert.equal(amount?.kind === 'stored' && amount.type.kind === 'scalar' && amount.type.name, 'Decimal')
  assert.deepEqual([amount?.required, loan!.fields.get('note')?.required], [true, false])
})

test('@service sets the name and description of the service', () => {
  const { service } = loadModel(
    'extend schema @service(name: "Shop", description: "Sells.") type A { id: ID! }',
    'a.graphql',
  )
  assert.deepEqual(service, { name: 'Shop', description: 'Sells.' })
})

test('a type without an id is a value, an enum an enum, a scalar a scalar, and each is found by its name', () => {
  const model = loadModel(
    `"Where" type Address { street: String! geo: [Geo!] } type Geo { lat: Float }
     enum Kind { "First" A B @deprecated(reason: "old") } scalar Url @specifiedBy(url: "https://x.test")
     scalar DateTime
     type User { id: ID! address: Address! kinds: [[Kind!]]! home: Url at: DateTime data: JSON }`,
    'a.graphql',
  )
  assert.deepEqual([...model.types.keys()], ['Address', 'Geo', 'Kind', 'Url', 'User'])
  assert.equal(model.values[0]?.description, 'Where')
  assert.deepEqual(model.enums[0]?.values, [
    { name: 'A', description: 'First', deprecated: null },
    { name: 'B', description: null, deprecated: 'old' },
  ])
  assert.equal(model.scalars[0]?.specifiedBy, 'https://x.test')
  const kinds = model.resources[0]?.fields.get('kinds')
  assert.ok(kinds?.kind === 'stored' && kinds.type.kind === 'list' && !kinds.type.itemRequired)
  assert.ok(kinds.type.of.kind === 'list' && kinds.type.of.itemRequired && kinds.type.of.of.kind === 'enum')
})

test('extensions are merged into their type, in the order of the file', () => {
  const { resources } = loadModel('type A { id: ID! } extend type A @resource(path: "letters") { b: Int }', 'a.graphql')
  assert.deepEqual([...resources[0]!.fields.keys()], ['id', 'b'])
  assert.equal(resources[0]!.list, 'letters')
})

test('an interface that no resource implements is dropped', () => {
  const model = loadModel(
    'interface Lonely { a: Int } type V implements Lonely { a: Int } type A { id: ID! v: V }',
    'a.graphql',
  )
  assert.deepEqual(model.abstracts, [])
  assert.deepEqual([...model.types.keys()], ['V', 'A'])
})

test('a schema definition with the standard names, and inputs that repeat the generated ones, are accepted', () => {
  const sdl = `schema { query: Query } type Query { as: [A!]! } input Loose { x: Int } input CreateAInput { x: Loose }
    type A { id: ID! }`
  assert.deepEqual(mistakesOf(sdl), [])
})

test('ten different mistakes are reported at once, in the order of the file', () => {
  expectMistakes([
    `type Post ‹@resorce {
  id: ID!
  title: ‹Strng!
  title2: String @constraint(‹mx: 3)
  count: Int @default(value: ‹"many")
  author: User! @relation(onDelete: ‹SET_NULL)
  status: Status @default(value: ‹DRFT)
  tags: [Tag!]! ‹@unique
}
type User { id: ‹Int! posts: [Post!]! }
enum Status { DRAFT ‹DRAFT }
type Tag { id: ID! ‹_version: Int }
type ‹Webhook { x: Int }`,
    '@resource',
    '"String"',
    '"max"',
    'whole number',
    'RESTRICT or CASCADE',
    '"DRAFT"',
    'many-to-many',
    'ID!',
    'Status.DRAFT is already defined on line 11',
    '_version',
    'Webhook',
  ])
})

test('a syntax error is one mistake with its place', () => {
  expectMistakes(['type Post {\n  id: ID!\n  title ‹String }\n', 'Expected ":"'])
  expectMistakes(['type Post { id: ID!‹', 'not GraphQL'])
})

test('an empty file is a mistake that shows a type', () => {
  expectMistakes(['‹', 'type Post { id: ID! title: String! }'])
  expectMistakes(['‹# nothing yet\n', 'has no types'])
})

test('a file in which no type has an id is a mistake', () => {
  expectMistakes(['type ‹Address { street: String }', 'nothing to serve'])
})
