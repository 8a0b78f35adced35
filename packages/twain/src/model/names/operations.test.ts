import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '../load-model.ts'
import { mutationsOf, queriesOf } from './operations.ts'

test('a resource has its queries and mutations, an interface or union only its collections', () => {
  const sdl = `type Post { id: ID! title: String made: DateTime @auto(set: CREATE_TIME) slug: String @immutable tags: [Post!]! } union U = Post`
  const { resources, abstracts } = loadModel(sdl, 'a.graphql')
  const signatureOf = ({ name, args, type }: { name: string; args: string[]; type: string }) =>
    `${name}(${args.join(', ')}): ${type}`
  assert.deepEqual([...resources, ...abstracts].flatMap(queriesOf).map(signatureOf), [
    'post(id): Post',
    'posts(offset, limit, where, orderBy, distinct): [Post!]!',
    'postsConnection(first, after, where, orderBy, distinct): PostConnection!',
    'postsAggregate(where): PostAggregate!',
    'postsGroupBy(by, timeZone, where, having, orderBy, offset, limit): [PostGroup!]!',
    'us(offset, limit, where, orderBy, distinct): [U!]!',
    'usConnection(first, after, where, orderBy, distinct): UConnection!',
    'usAggregate(where): UAggregate!',
    'usGroupBy(by, timeZone, where, having, orderBy, offset, limit): [UGroup!]!',
  ])
  assert.deepEqual(resources.flatMap((resource) => mutationsOf(resource, null)).map(signatureOf), [
    'createPost(input): Post',
    'createPosts(inputs): [Post!]',
    'createEachPost(inputs): [RowResult!]',
    'replacePost(id, input, ifVersion): Post',
    'updatePost(id, title, tags, input, ifVersion): Post',
    'updatePosts(where, input, orderBy, limit, all, dryRun): BulkResult',
    'deletePost(id, ifVersion): DeleteResult',
    'deletePosts(where, orderBy, limit, all, dryRun): BulkResult',
    'revertPost(id, version, ifVersion): Post',
  ])
})

test('an update of an account takes a password, and never what is set to the viewer', () => {
  const sdl = 'type User @account { id: ID! email: String @unique by: User @auto(set: VIEWER) boss: User }'
  const { resources, account } = loadModel(sdl, 'a.graphql')
  const update = mutationsOf(resources[0]!, account).find(({ name }) => name === 'updateUser')
  assert.deepEqual(update?.args, [
    'id',
    'email',
    'boss',
    'password',
    'currentPassword',
    '_locked',
    'input',
    'ifVersion',
  ])
})
