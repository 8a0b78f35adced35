import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectMistakes } from '../expect-mistake.fixture.ts'
import { loadModel } from '../load-model.ts'
import type { ReferenceField } from '../model.ts'
import { writesOf } from '../writes-of.ts'
import { reservedPaths, reservedTypes } from './reserved-names.ts'
import { declaredSystemTypes, servedResources } from './system-types.ts'

const model = loadModel('type Post { id: ID! title: String! }', 'x.graphql')

test('types of the server itself are beside those of the file, and served with them', () => {
  assert.deepEqual(
    model.resources.map(({ name }) => name),
    ['Post'],
  )
  assert.equal(model.types.has('BackgroundJob'), false)
  assert.deepEqual(
    servedResources(model).map(({ name, path }) => [name, path]),
    [['Post', 'posts'], ...model.system.resources.map(({ name, path }) => [name, path])],
  )
})

test('their rules name the writes that they have', () => {
  const [post, job] = servedResources(model)
  assert.deepEqual(writesOf(post!), ['create', 'replace', 'update', 'delete'])
  assert.deepEqual(writesOf(job!), ['update'])
})

test('a file that uses the name or the path of any of them is told another one', () => {
  const types = declaredSystemTypes()
  for (const name of ['BackgroundJob', 'ApiKey', 'Token', 'File']) assert.ok(types.some((type) => type.name === name))
  for (const { name, path } of types) {
    assert.ok(reservedTypes().includes(name) && reservedPaths().includes(path))
    expectMistakes([
      `type ‹${name} { id: ID! } type P @resource(path: ‹"${path}") { id: ID! }`,
      `${name} is a type of the server itself. = Use another name, such as Own${name}.`,
      `/${path} is a path of the server itself. = Give P another path: @resource(path: "p-list").`,
    ])
  }
})

test('a field may refer to files, and to no other type of the server itself', () => {
  for (const { name } of declaredSystemTypes()) {
    if (name === 'File') continue
    expectMistakes([
      `type Post { id: ID! it: ‹${name} all: [‹${name}!]! }`,
      `${name} is a type of the server itself: no field can refer to it. = Store the id: a field of the type ID.`,
      `${name} is a type of the server itself`,
    ])
  }
  assert.equal(loadModel('type Post { id: ID! it: File }', 'x.graphql').file?.holders.length, 1)
})

test('a token belongs to the account type of the schema; without one there are no tokens', () => {
  assert.equal(
    model.system.resources.some(({ name }) => name === 'Token'),
    false,
  )
  const accounts = ['Person', 'User'].map((name) => {
    const { account, system } = loadModel(`type ${name} @account { id: ID! email: String! @unique }`, 'x.graphql')
    const token = system.resources.find((type) => type.name === 'Token')!
    const field = token.fields.get('account') as ReferenceField
    assert.deepEqual(
      [field.to, field.owner, token.rules[1]!.who],
      [account!.resource, token, { kind: 'path', path: [field], text: 'account' }],
    )
    return field
  })
  assert.notEqual(accounts[0], accounts[1])
})
