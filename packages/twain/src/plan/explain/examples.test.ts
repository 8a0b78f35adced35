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
  const model = loadModel(sdl, 'x.graphql')
  const of = model.types.get('A') as Resource
  const { tree, odd } = exampleRow(of) as Record<string, unknown>
  assert.deepEqual([tree, odd], [{ name: 'A name', under: [], parent: null }, null])
  assert.deepEqual(Object.keys(exampleCreate(of, model) as object), ['tree', 'odd', 'to'])
  assert.deepEqual(exampleMerge(of, model), { odd: null })
})

test('a create has only fields that everyone who may create the row may set, and new values of unique fields', () => {
  const model = loadModel(
    `type User @account @allow(to: [READ, CREATE]) {
      id: ID!
      email: String! @unique @constraint(format: "email")
      code: String! @unique @constraint(pattern: "^[A-Z]{2}[0-9]*$", maxLength: 8)
      rank: Int! @unique
      roles: [String!]! @default(value: [])
      level: Int @allow(role: "admin", to: [CREATE])
      state: State
      bio: String
    }
    enum State { A @next(to: [B]) B }
    type Post @allow(to: [CREATE], fields: ["title", "by"]) @allow(role: "admin") { id: ID! title: String! note: String by: User! @auto(set: VIEWER) }`,
    'x.graphql',
  )
  const [user, post] = model.resources
  assert.deepEqual(exampleCreate(user!, model, { suffix: '3f2a' }), {
    email: 'ann-3f2a@example.com',
    code: 'AA16170',
    rank: 16170,
    bio: 'A bio',
    password: 'correct horse',
  })
  assert.deepEqual(exampleCreate(post!, model), { title: 'A title' })
  const withoutAccount = exampleCreate(post!, model, { withoutAccount: true, referenceTo: () => 'u1' })
  assert.deepEqual(withoutAccount, { title: 'A title', by: 'u1' })
  assert.deepEqual(exampleMerge(user!, model), { level: 1 }, 'its rule is for creates')
})
