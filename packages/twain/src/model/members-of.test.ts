import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from './load-model.ts'
import { mayBeAccount, membersOf } from './members-of.ts'

const model = loadModel(
  `union Found = User | Post
  union Written = Post | Note
  type User @account { id: ID! email: String! @unique }
  type Post { id: ID! }
  type Note { id: ID! }`,
  'x.graphql',
)
const typeOf = (name: string) => {
  const type = model.types.get(name)
  if (type?.kind !== 'resource' && type?.kind !== 'abstract') throw new Error(`${name} has no rows`)
  return type
}

test('a row of a resource has that type, a row of an interface or union has one of its member types', () => {
  const names = (name: string) => membersOf(typeOf(name)).map((member) => member.name)
  assert.deepEqual([names('Post'), names('Found')], [['Post'], ['User', 'Post']])
})

test('a row may be an account where the account type is among the members', () => {
  const may = ['User', 'Found', 'Post', 'Written'].map((name) => mayBeAccount(typeOf(name), model))
  assert.deepEqual(may, [true, true, false, false])
})
