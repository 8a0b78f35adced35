import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeableLists, listOfMember, whyNot } from './list-writes.ts'
import { loadModel } from './load-model.ts'
import type { Resource } from './model.ts'

const model = loadModel(
  `type User @account(login: "name") { id: ID! name: String! @unique posts: [Post!]! team: Team }
  type Team { id: ID! users: [User!]! }
  type Post {
    id: ID! author: User! @auto(set: VIEWER) tags: [Tag!]! comments: [Comment!]! notes: [Note!]! fixed: [Fixed!]!
    files: [File!]! things: [Thing!]!
  }
  type Tag { id: ID! posts: [Post!]! }
  type Comment { id: ID! post: Post! }
  type Note { id: ID! post: Post }
  type Fixed { id: ID! post: Post @immutable }
  union Thing = Tag | Note`,
  'lists.graphql',
)
const resource = (name: string) => model.types.get(name) as Resource
const writesOf = (name: string, action: 'create' | 'update') =>
  Object.fromEntries(changeableLists(resource(name), action).map(({ field, writes }) => [field.name, writes.join(' ')]))

test('what a list can do follows from its relation', () => {
  assert.deepEqual(writesOf('Post', 'update'), {
    tags: 'disconnect delete connect update create',
    comments: 'delete connect update create',
    notes: 'disconnect delete connect update create',
    fixed: 'delete update create',
    files: 'disconnect connect',
    things: 'disconnect connect',
  })
  assert.deepEqual(writesOf('User', 'update'), { posts: 'delete update' })
  assert.deepEqual(writesOf('Team', 'update'), { users: 'disconnect delete connect update' })
})

test('the list of a new row is empty, so rows can only come into it', () => {
  assert.deepEqual(writesOf('Post', 'create'), {
    tags: 'connect create',
    comments: 'connect create',
    notes: 'connect create',
    fixed: 'create',
    files: 'connect',
    things: 'connect',
  })
  assert.deepEqual(writesOf('User', 'create'), {})
})

test('a list is changed by its name behind a `_`', () => {
  assert.equal(listOfMember('tags', resource('Post')), undefined)
  assert.equal(listOfMember('_tags', resource('Post'))?.name, 'tags')
})

test('what can not be done has a reason that says what to do instead', () => {
  const comments = listOfMember('_comments', resource('Post'))!
  assert.match(
    whyNot('disconnect', comments, 'update')!,
    /Comment\.post is required\. Delete the Comment, or connect it/,
  )
})
