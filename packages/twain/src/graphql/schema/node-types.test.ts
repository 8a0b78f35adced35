import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { rootFieldsOf } from './root-fields.ts'

const nodesOf = (sdl: string) => rootFieldsOf(loadModel(sdl, 'x.graphql')).nodes!

test('an id names the type and the id of a row', () => {
  const nodes = nodesOf('type Post { id: ID! } type User { id: ID! }')
  const [post, user] = nodes.typesOf([`${prefix('User')}u1`, `${prefix('Post')}p1`, 'x', 7])
  assert.deepEqual([post!.name, user!.name], ['Post', 'User'], 'in the order of the file')
  assert.deepEqual(nodes.find(`${nodes.prefixOf(post!)}p_1-a`), { of: post, id: 'p_1-a' })
  for (const other of ['', '.', 'p1', `${prefix('Tag')}t1`, `${prefix('Post')}`, `${prefix('Post')}a.b`, null, 7])
    assert.equal(nodes.find(other), null, String(other))
})

test('an id from before a rename still names the row; new ids have the present name', () => {
  const nodes = nodesOf('type Article @was(name: "Post") { id: ID! }')
  const found = nodes.find(`${prefix('Post')}p1`)!
  assert.deepEqual([found.of.name, found.id, nodes.prefixOf(found.of)], ['Article', 'p1', prefix('Article')])
  assert.equal(nodes.find(`${prefix('Article')}p1`)!.of, found.of)
})

function prefix(type: string): string {
  return `${Buffer.from(type).toString('base64url')}.`
}
