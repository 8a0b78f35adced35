import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '#base'
import { loadModel } from '#model'
import { blog } from '../blog.fixture.ts'
import { allowedMethod, Router } from './route.ts'

const router = new Router(blog)

test('R1, R2: collections, items and nested collections are found', () => {
  for (const [path, kind, of, id] of [
    ['/posts', 'collection', 'Post', ''],
    ['/posts/p1', 'item', 'Post', 'p1'],
    ['/p%6Fsts/p%31', 'item', 'Post', 'p1'],
    ['/users/u1/posts', 'nested', 'Post', 'u1'],
    ['/posts/p1/tags', 'nested', 'Tag', 'p1'],
    ['/founds', 'collection', 'Found', ''],
    ['/posts/p1/tags/t1', 'link', 'Post', 'p1'],
  ] as const) {
    const found = router.find(path)
    assert.deepEqual([found.route.kind, found.route.of.name, found.id], [kind, of, id], path)
  }
})

test('R1, R2: the table of routes has every path once, in the order of the schema file', () => {
  const keys = router.routes().map(({ key }) => key)
  assert.deepEqual(keys.slice(0, 4), ['users', 'users/{id}', 'users/email={email}', 'users/{id}/posts'])
  assert.equal(new Set(keys).size, keys.length)
  assert.ok(keys.includes('founds'))
})

test('R7: previous paths are listed with their present routes', () => {
  const sdl = 'type Post @resource(was: ["articles"]) { id: ID! tags: [Tag!]! } type Tag { id: ID! posts: [Post!]! }'
  const previous = new Router(loadModel(sdl, 'x.graphql')).aliases()
  assert.deepEqual(
    previous.map(([key, route]) => [key, route.key]),
    [
      ['articles', 'posts'],
      ['articles/{id}', 'posts/{id}'],
      ['articles/{id}/tags', 'posts/{id}/tags'],
      ['articles/{id}/tags/{tagId}', 'posts/{id}/tags/{tagId}'],
      ['articles/{id}/changes', 'posts/{id}/changes'],
      ['articles/{id}/access', 'posts/{id}/access'],
      ['articles/{id}/reversions', 'posts/{id}/reversions'],
    ],
  )
})

test('R4: other paths are not found, with a suggestion', () => {
  for (const [path, near] of [
    ['/post', /Did you mean \/posts\?/],
    ['/posts/p1/tag', /Did you mean "tags"\?/],
    ['/posts/p1/author', /nothing at/],
    ['/console', /The console is turned off/],
    ['/docs/x', /nothing at/],
    ['/founds/p1', /\/posts\/\{id\} or \/users\/\{id\}/],
    ['/posts/p1/tags/t1/x', /nothing at/],
    ['/posts/p1/comments/c1', /nothing at/],
    ['//', /nothing at/],
    ['/posts//tags', /nothing at/],
    ['/', /\/users, \/profiles, \/posts/],
    ['*', /nothing at/],
    ['/__proto__', /nothing at/],
  ] as const) {
    assert.throws(
      () => router.find(path),
      (error) => isApiError(error, 'NOT_FOUND', near),
      path,
    )
  }
})

test('R3: a path that is not percent-encoded UTF-8 is a bad request', () => {
  for (const path of ['/posts/%zz', '/posts/%ff', '/caf\u00e9']) {
    assert.throws(
      () => router.find(path),
      (error) => isApiError(error, 'BAD_REQUEST', /UTF-8/),
      path,
    )
  }
})

test('R5: an unsupported method is a 405 that lists the supported ones', () => {
  const { route } = router.find('/founds')
  assert.equal(allowedMethod('GET', route), 'GET')
  assert.throws(
    () => allowedMethod('POST', route),
    (error) => error instanceof ApiError && error.status === 405 && error.headers.allow === 'GET, HEAD, OPTIONS',
  )
})

test('R5: the hint of a 405 names the path that has the method', () => {
  for (const [path, method, hint] of [
    ['/posts', 'PUT', /Write one row at \/posts\/\{id\}/],
    ['/posts/p1', 'POST', /POST at \/posts\./],
    ['/posts/p1/tags', 'POST', /PUT at \/posts\/\{id\}\/tags\/\{id\}, or set all with PATCH at \/posts\/\{id\}/],
    ['/posts/p1/tags/t1', 'GET', /Read the linked rows at \/posts\/\{id\}\/tags/],
    ['/founds', 'POST', /write its rows at \/posts, \/users/],
  ] as const) {
    assert.throws(
      () => allowedMethod(method, router.find(path).route),
      (error) => isApiError(error, 'METHOD_NOT_ALLOWED', hint),
    )
  }
})

function isApiError(error: unknown, code: string, words: RegExp): boolean {
  return error instanceof ApiError && error.code === code && words.test(`${error.message} ${error.hint ?? ''}`)
}

test('R7: a trailing slash and a previous path redirect to existing paths only', () => {
  const moved = new Router(
    loadModel(
      'type Post @resource(was: ["articles", "old"]) { id: ID! tags: [Tag!]! } type Tag { id: ID! }',
      'x.graphql',
    ),
    (path) => path === '/tokens',
  )
  for (const [path, target] of [
    ['/posts', null],
    ['/posts/', '/posts'],
    ['/posts///', '/posts'],
    ['/posts/p%31/', '/posts/p%31'],
    ['/articles', '/posts'],
    ['/articles/p1/tags', '/posts/p1/tags'],
    ['/old/p1/tags/t1/', '/posts/p1/tags/t1'],
    ['/tokens/', '/tokens'],
    ['/nothing/', null],
    ['/', null],
    ['//', null],
    ['//evil.example/', null],
    ['//evil.example/posts/', null],
    ['//posts/', null],
    ['/%2f/evil.example/', null],
    ['/%zz/', null],
  ] as const) {
    assert.equal(moved.redirect(path)?.target ?? null, target, path)
  }
})

test('R7: an alias of a type and of a list redirect, and the redirect names both', () => {
  const sdl = `type Post @was(name: "Article") { id: ID! labels: [Label!]! @was(name: "oldTags") author: User }
    type Label { id: ID! } type User { id: ID! posts: [Post!]! }`
  const moved = new Router(loadModel(sdl, 'x.graphql'))
  for (const [path, target, ...aliases] of [
    ['/articles/1', '/posts/1', 'Post (previous name)'],
    ['/posts/1/old-tags', '/posts/1/labels', 'Post.oldTags'],
    ['/posts/1/old%2dtags/2/', '/posts/1/labels/2', 'Post.oldTags'],
    ['/articles/1/old-tags/2', '/posts/1/labels/2', 'Post (previous name)', 'Post.oldTags'],
    ['/posts/1/labels/', '/posts/1/labels'],
  ] as const) {
    assert.deepEqual(moved.redirect(path), { target, aliases }, path)
  }
  assert.equal(moved.redirect('/users/1/old-tags'), null)
  assert.deepEqual(
    moved
      .aliases()
      .map(([key, route]) => [key, route.key])
      .slice(0, 2),
    [
      ['posts/{id}/old-tags', 'posts/{id}/labels'],
      ['posts/{id}/old-tags/{labelId}', 'posts/{id}/labels/{labelId}'],
    ],
  )
})

test('R9: a part with a raw "=" is a unique key', () => {
  const sdl = `type Item { id: ID! list: List! @unique(with: "name") name: String! notes: [Note!]! tags: [Tag!]! }
    type List { id: ID! } type Note { id: ID! item: Item! } type Tag { id: ID! items: [Item!]! }`
  const keyed = new Router(loadModel(sdl, 'x.graphql'))
  const summary = (path: string) => {
    const { route, id, keyValues, linkedId } = keyed.findPlain(path) ?? keyed.find(path)
    return [route.kind, route.template, id, keyValues, linkedId]
  }
  const template = '/items/list={list},name={name}'
  assert.deepEqual(summary('/items/list=l1,name=a%2Cb%3D'), ['item', template, '', ['l1', 'a,b='], ''])
  assert.deepEqual(summary('/items/name=x=y,list=l1')[3], ['x=y', 'l1'])
  assert.deepEqual(summary('/items/list=l,name=/notes'), ['nested', `${template}/notes`, '', ['l', ''], ''])
  assert.deepEqual(summary('/items/list=l,name=n/tags/t'), ['link', `${template}/tags/{tagId}`, '', ['l', 'n'], 't'])
  assert.deepEqual(summary('/items/list%3Dl')[2], 'list=l')
  const route = (path: string) => keyed.find(path).route
  assert.equal(route('/items/list=a,name=b'), route('/items/list=c,name=d'))
  assert.throws(() => keyed.find('/items/name=x'), /no unique key name/)
  assert.throws(() => keyed.find('/items/list=l,name'), /has no "="/)
})
