import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasOneName, itemNamed, NamedFields, namesOf, withAliases } from './aliases.ts'
import { loadModel } from './load-model.ts'
import { aliasCopies, singleOf, typeAtPath } from './names/type-aliases.ts'

test('a field is found by both names and listed under the present one, which takes precedence', () => {
  const named = new NamedFields([['title', 1]])
  named.alsoKnownAs('heading', 1)
  named.alsoKnownAs('title', 2)
  assert.deepEqual([named.get('title'), named.get('heading'), named.get('body')], [1, 1, undefined])
  assert.deepEqual([named.has('heading'), named.size, [...named.keys()]], [true, 1, ['title']])
})

test('an item has its name and its alias; a present name takes precedence', () => {
  const items = [{ name: 'b', alias: 'a' }, { name: 'c', alias: 'b' }, { name: 'd' }]
  assert.deepEqual(items.map(namesOf), [['b', 'a'], ['c', 'b'], ['d']])
  assert.deepEqual(items.map(hasOneName), [false, false, true])
  const found = ['a', 'b', 'c', 'd', 'e', undefined].map((name) => itemNamed(items, name)?.name)
  assert.deepEqual(found, ['b', 'b', 'c', 'd', undefined, undefined])
})

test('descriptions list an item a second time, deprecated, under its alias', () => {
  const items = [{ name: 'b', alias: 'a', deprecated: null as string | null, size: 1 }]
  assert.deepEqual(withAliases(items).slice(1), [{ name: 'a', alias: 'a', deprecated: 'Renamed to b.', size: 1 }])
})

test('a renamed type is found at all its paths, and has a copy for each name that it had', () => {
  const sdl = 'type Article @was(name: "BlogPost") @resource(was: "old-posts") { id: ID! } type Tag { id: ID! }'
  const { resources } = loadModel(sdl, 'a.graphql')
  const [article, tag] = resources
  const paths = ['articles', 'old-posts', 'blog-posts', 'tags', 'users']
  const found = paths.map((path) => typeAtPath(resources, path))
  assert.deepEqual(found, [article, article, article, tag, undefined])
  assert.deepEqual(namesOf(singleOf(article!)), ['article', 'blogPost'])
  assert.deepEqual(
    aliasCopies(article!).map(({ name, single, list }) => [name, single, list]),
    [
      ['Article', 'article', 'oldPosts'],
      ['Article', 'article', 'blogPosts'],
      ['BlogPost', 'blogPost', 'articles'],
    ],
  )
  assert.deepEqual(aliasCopies(tag!), [])
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
