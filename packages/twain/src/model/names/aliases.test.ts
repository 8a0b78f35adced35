import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '../load-model.ts'
import { NamedFields } from './aliases.ts'

test('a field is found by both names and listed under the present one, which takes precedence', () => {
  const named = new NamedFields([['title', 1]])
  named.alsoKnownAs('heading', 1)
  named.alsoKnownAs('title', 2)
  assert.deepEqual([named.get('title'), named.get('heading'), named.get('body')], [1, 1, undefined])
  assert.deepEqual([named.has('heading'), named.size, [...named.keys()]], [true, 1, ['title']])
})

test('fields of resources, interfaces, unions and values are found by their previous names', () => {
  const model = loadModel(
    `interface I { id: ID! b: Int @was(name: "a") } union U = A | B
    type A implements I { id: ID! b: Int @was(name: "a") v: V c: Int @computed @was(name: "d") }
    type B implements I { id: ID! b: Int @was(name: "a") } type V { y: Int @was(name: "x") }`,
    'a.graphql',
  )
  const [a] = model.resources
  assert.equal(a?.fields.get('a')?.name, 'b')
  assert.equal(a?.computed.get('d')?.name, 'c')
  assert.equal(model.values[0]?.fields.get('x')?.name, 'y')
  for (const abstract of model.abstracts) assert.equal(abstract.fields.get('a')?.name, 'b', abstract.name)
})

test('a renamed type keeps the path of its previous name, unless another type uses it', () => {
  const wasOf = (sdl: string) => loadModel(sdl, 'a.graphql').resources[0]?.previousPaths
  assert.deepEqual(wasOf('type Article @was(name: "BlogPost") { id: ID! }'), ['blog-posts'])
  assert.deepEqual(wasOf('type Article @was(name: "Post") @resource(was: "posts") { id: ID! }'), ['posts'])
  const taken = 'type Article @was(name: "Post") { id: ID! } type Entry @resource(path: "posts") { id: ID! }'
  assert.deepEqual(wasOf(taken), [])
})
