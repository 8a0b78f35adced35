import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { operationOf } from '../document/operation.ts'
import type { Data } from '../document/selection.ts'
import { Cache } from './cache.ts'
import { show } from './query-watcher.ts'
import { lenient } from './read.ts'

const bind = (text: string, variables = {}) => operationOf(text).bind(variables)

const posts = bind('{ posts { id title author { id name } } }')
const one = bind('query ($id: ID!) { post(id: $id) { id title author { id name } } }', { id: 'p1' })
const ann = { __typename: 'User', id: 'u1', name: 'Ann' }
const post = (n: number, title = `title ${n}`, author: unknown = ann) => ({
  __typename: 'Post',
  id: `p${n}`,
  title,
  author,
})

/** Records all notifications of a watcher. */
function watch(cache: Cache, bound = posts): { notified: unknown[]; stop: () => void } {
  const notified: unknown[] = []
  const listener = { [show]: (data: unknown) => void notified.push(data) }
  const watcher = cache.watcher(bound, 0)
  watcher.join(listener)
  return { notified, stop: () => watcher.leave(listener) }
}

describe('the cache', () => {
  test('returns the written data, and undefined where a part is missing', () => {
    const cache = new Cache()
    assert.equal(cache.read(posts), undefined)
    cache.write(posts, { posts: [post(1), post(2)] })
    assert.deepEqual(cache.read(posts), { posts: [post(1), post(2)] })
    assert.equal(cache.read(one), undefined)
    assert.equal(cache.read(bind('{ posts { id body } }')), undefined)
    assert.deepEqual(cache.read(bind('{ list: posts { key: id } }')), {
      list: [
        { key: 'p1', __typename: 'Post' },
        { key: 'p2', __typename: 'Post' },
      ],
    })
  })

  test('identifies a row by its type and id in every response, and keeps unchanged objects', () => {
    const cache = new Cache()
    cache.write(posts, { posts: [post(1), post(2)] })
    const before = cache.read(posts) as { posts: Data[] }
    cache.write(one, { post: post(1, 'new') })
    const after = cache.read(posts) as { posts: Data[] }
    assert.deepEqual(after, { posts: [post(1, 'new'), post(2)] })
    assert.equal(after.posts[1], before.posts[1])
    assert.equal(after.posts[0]?.author, before.posts[0]?.author)
    // The cache never changes an object that it has returned.
    assert.equal(before.posts[0]?.title, 'title 1')
    cache.write(one, { post: post(1, 'new') })
    assert.equal(cache.read(posts), after)
  })

  test('distinguishes arguments, in any order, in variables or in the document', () => {
    const cache = new Cache()
    cache.write(bind('{ posts(where: {a: 1, b: [X]}, limit: 2) { id } }'), {
      posts: [{ __typename: 'Post', id: 'p1' }],
    })
    const same = bind('query ($w: W, $n: Int = 2) { posts(limit: $n, where: $w) { id } }', { w: { b: ['X'], a: 1 } })
    assert.deepEqual(cache.read(same), { posts: [{ id: 'p1', __typename: 'Post' }] })
    const other = bind('query ($w: W, $n: Int = 2) { posts(limit: $n, where: $w) { id } }', { w: { b: ['X'], a: 2 } })
    assert.equal(cache.read(other), undefined)
  })

  test('notifies a watcher with its result, and only when the result has changed', () => {
    const cache = new Cache()
    cache.write(posts, { posts: [post(1), post(2)] })
    const { notified, stop } = watch(cache)
    cache.write(bind('{ me { id name age } }'), { me: { ...ann, age: 7 } })
    cache.write(one, { post: post(1) })
    cache.write(bind('{ post(id: "p9") { id } }'), { post: { __typename: 'Post', id: 'p9' } })
    assert.deepEqual(notified, [])
    cache.transact(() => {
      cache.write(one, { post: post(1, 'a') })
      cache.write(one, { post: post(1, 'b') })
    })
    assert.deepEqual(notified, [{ posts: [post(1, 'b'), post(2)] }])
    // The watcher follows changed links and leaves nodes that it no longer reads.
    cache.write(one, { post: post(1, 'b', { __typename: 'User', id: 'u2', name: 'Ben' }) })
    cache.write(bind('{ me { id name } }'), { me: { __typename: 'User', id: 'u2', name: 'Bea' } })
    const last = notified.at(-1) as unknown as { posts: { author: Data }[] }
    assert.equal(last.posts[0]?.author.name, 'Bea')
    assert.equal(notified.length, 3)
    stop()
    cache.write(one, { post: post(1, 'c') })
    assert.equal(notified.length, 3)
  })

  test('notifies a watcher that waits for the first response', () => {
    const cache = new Cache()
    const { notified } = watch(cache)
    cache.write(bind('{ posts { id } }'), { posts: [{ __typename: 'Post', id: 'p1' }] })
    assert.deepEqual(notified, [])
    cache.write(one, { post: post(1) })
    assert.deepEqual(notified, [{ posts: [post(1)] }])
  })

  test('merges objects without an id into their owner, so that two selections do not overwrite each other', () => {
    const cache = new Cache()
    const titles = bind('{ post { id seo { title } } }')
    const texts = bind('{ post { id seo { text } } }')
    const seo = (fields: object) => ({ post: { __typename: 'Post', id: 'p1', seo: { __typename: 'Seo', ...fields } } })
    cache.write(titles, seo({ title: 'a' }))
    const { notified } = watch(cache, titles)
    cache.write(texts, seo({ text: 'b' }))
    assert.deepEqual(cache.read(titles), seo({ title: 'a' }))
    assert.deepEqual(cache.read(texts), seo({ text: 'b' }))
    assert.deepEqual(notified, [])
    // In a list, the second object may be a different one now. The cache does not mix in the fields of the previous one.
    const list = (text: string) => bind(`{ post { id blocks { ${text} } } }`)
    const blocks = (...of: object[]) => ({
      post: { __typename: 'Post', id: 'p1', blocks: of.map((block) => ({ __typename: 'Block', ...block })) },
    })
    cache.write(list('kind text'), blocks({ kind: 'h', text: 'one' }, { kind: 'p', text: 'two' }))
    cache.write(list('kind size'), blocks({ kind: 'h', size: 1 }, { kind: 'q', size: 2 }))
    assert.deepEqual(cache.read(list('kind size')), blocks({ kind: 'h', size: 1 }, { kind: 'q', size: 2 }))
    assert.equal(cache.read(list('text')), undefined)
    cache.write(list('kind size'), blocks({ kind: 'h', size: 1 }))
    assert.deepEqual(cache.read(list('text')), blocks({ text: 'one' }))
  })

  test('stacks optimistic layers, and removes any of them', () => {
    const cache = new Cache()
    cache.write(posts, { posts: [post(1), post(2)] })
    const base = cache.read(posts)
    const { notified } = watch(cache)
    const prepend = (n: number) => () => {
      const { posts: list } = cache.read(posts) as { posts: Data[] }
      cache.write(posts, { posts: [post(n), ...list] }, { isBorrowed: true })
    }
    const takeFirst = cache.layer(prepend(8))
    const takeSecond = cache.layer(prepend(9))
    const ids = () => (cache.read(posts) as { posts: Data[] }).posts.map(({ id }) => id)
    assert.deepEqual(ids(), ['p9', 'p8', 'p1', 'p2'])
    // New data from the server is visible below the layers.
    cache.write(one, { post: post(1, 'from the server') })
    assert.equal((cache.read(posts) as { posts: Data[] }).posts[2]?.title, 'from the server')
    takeFirst()
    assert.deepEqual(ids(), ['p9', 'p1', 'p2'])
    cache.write(one, { post: post(1) })
    takeSecond()
    takeSecond()
    assert.deepEqual(cache.read(posts), base)
    assert.deepEqual(notified.at(-1), base)
    const takeRemoval = cache.layer(() => cache.remove('Post:p1'))
    assert.deepEqual(ids(), ['p2'])
    takeRemoval()
    assert.deepEqual(ids(), ['p1', 'p2'])
    assert.throws(() => cache.layer(() => assert.fail('no')), /no/)
    assert.deepEqual(cache.read(posts), base)
  })

  test('does not let the response to an earlier request overwrite a later one, but lets it fill missing fields', () => {
    const cache = new Cache()
    const early = cache.begin()
    const late = cache.begin()
    const withBody = bind('{ posts { id title body } }')
    cache.write(posts, { posts: [post(1, 'late')] }, { order: late })
    cache.end(late)
    cache.write(
      withBody,
      { posts: [{ __typename: 'Post', id: 'p1', title: 'early', body: 'b' }, post(2)] },
      { order: early },
    )
    cache.end(early)
    assert.deepEqual(cache.read(posts), { posts: [post(1, 'late')] })
    assert.equal((cache.read(withBody) as { posts: Data[] }).posts[0]?.body, 'b')
    // With no request in flight, the next response wins.
    const next = cache.begin()
    cache.write(posts, { posts: [post(1, 'next')] }, { order: next })
    assert.deepEqual(cache.read(posts), { posts: [post(1, 'next')] })
  })

  test('keeps the higher version of a row, in any order of arrival', () => {
    const cache = new Cache()
    const versions = bind('{ post { id _version title } }')
    const at = (_version: number, title: string) => ({ post: { __typename: 'Post', id: 'p1', _version, title } })
    cache.write(versions, at(2, 'two'))
    cache.write(versions, at(1, 'one'))
    assert.deepEqual(cache.read(versions), at(2, 'two'))
    cache.write(versions, at(3, 'three'))
    assert.deepEqual(cache.read(versions), at(3, 'three'))
  })

  test('never stores a failed field as null', () => {
    const cache = new Cache()
    const data = { posts: [{ ...post(1), author: null }, null] }
    const errors = [{ path: ['posts', 0, 'author', 'name'] }, { path: ['posts', 1] }]
    cache.write(posts, data, { errors })
    assert.equal(cache.read(posts), undefined)
    assert.equal(cache.read(bind('{ posts { id } }')), undefined)
    assert.deepEqual(cache.read(posts, lenient), data)
    // The known value stays.
    cache.write(posts, { posts: [post(1)] })
    cache.write(posts, data, { errors: errors.slice(0, 1) })
    assert.deepEqual((cache.read(posts) as { posts: Data[] }).posts[0], post(1))
  })

  test('omits a deleted row from lists, reads it as null elsewhere, and accepts it again when a response contains it', () => {
    const cache = new Cache()
    cache.write(posts, { posts: [post(1), post(2)] })
    cache.write(one, { post: post(1) })
    const { notified } = watch(cache)
    cache.remove('Post:p1')
    assert.deepEqual(notified, [{ posts: [post(2)] }])
    assert.deepEqual(cache.read(one), { post: null })
    cache.write(bind('query ($id: ID!) { again: post(id: $id) { id title author { id name } } }', { id: 'p1' }), {
      again: post(1),
    })
    assert.deepEqual(notified.at(-1), { posts: [post(1), post(2)] })
    cache.evict('Post:p1')
    assert.equal(cache.read(one), undefined)
    assert.deepEqual(notified.at(-1), undefined)
  })

  test('learns the types of an interface from responses or from the option', () => {
    const text = '{ items { id ... on Named { name } ... on Post { title } ...F } } fragment F on Sized { size }'
    const data = {
      items: [
        { __typename: 'User', id: '1', name: 'Ann' },
        { __typename: 'Post', id: '1', title: 'a', size: 3 },
      ],
    }
    const cache = new Cache()
    cache.write(bind(text), data)
    assert.deepEqual(cache.read(bind(text)), data)
    const configured = new Cache({ possibleTypes: { Named: ['User', 'Team'], Sized: ['Post'] } })
    configured.write(bind('{ items { id name title size } }'), {
      items: [{ __typename: 'Team', id: '1', name: 'x', title: 'no', size: 0 }],
    })
    assert.deepEqual(configured.read(bind(text)), { items: [{ __typename: 'Team', id: '1', name: 'x' }] })
  })

  test('applies @skip and @include, with variables and without', () => {
    const text =
      'query ($x: Boolean!) { me { id name @include(if: $x) ... @skip(if: $x) { age } mail @skip(if: true) } }'
    const cache = new Cache()
    cache.write(bind(text, { x: true }), { me: ann })
    assert.deepEqual(cache.read(bind(text, { x: true })), { me: ann })
    assert.equal(cache.read(bind(text, { x: false })), undefined)
  })

  test('merges selections of the same field', () => {
    const text = '{ me { id } ...F } fragment F on Query { me { name friend { id } } me { friend { name } } }'
    const cache = new Cache()
    cache.write(bind(text), { me: { ...ann, friend: ann } })
    assert.deepEqual(cache.read(bind(text)), { me: { ...ann, friend: ann } })
    assert.deepEqual(cache.read(bind('{ me { friend { name } } }')), {
      me: { friend: { name: 'Ann', __typename: 'User' }, __typename: 'User' },
    })
  })
})
