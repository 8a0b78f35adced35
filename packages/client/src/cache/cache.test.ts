import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { operationOf } from '../document/operation.ts'
import type { Data } from '../document/selection.ts'
import { Cache } from './cache.ts'
import { show } from './query-watcher.ts'
import { lenient } from './read.ts'

const ask = (text: string, variables = {}) => operationOf(text).ask(variables)

const posts = ask('{ posts { id title author { id name } } }')
const one = ask('query ($id: ID!) { post(id: $id) { id title author { id name } } }', { id: 'p1' })
const ann = { __typename: 'User', id: 'u1', name: 'Ann' }
const post = (n: number, title = `title ${n}`, author: unknown = ann) => ({
  __typename: 'Post',
  id: `p${n}`,
  title,
  author,
})

/** All that a watcher is told. */
function watch(cache: Cache, question = posts): { told: unknown[]; stop: () => void } {
  const told: unknown[] = []
  const listener = { [show]: (data: unknown) => void told.push(data) }
  const watcher = cache.watcher(question, 0)
  watcher.join(listener)
  return { told, stop: () => watcher.leave(listener) }
}

describe('the cache', () => {
  test('gives what was written, and nothing where a part is missing', () => {
    const cache = new Cache()
    assert.equal(cache.read(posts), undefined)
    cache.write(posts, { posts: [post(1), post(2)] })
    assert.deepEqual(cache.read(posts), { posts: [post(1), post(2)] })
    assert.equal(cache.read(one), undefined)
    assert.equal(cache.read(ask('{ posts { id body } }')), undefined)
    assert.deepEqual(cache.read(ask('{ list: posts { key: id } }')), {
      list: [
        { key: 'p1', __typename: 'Post' },
        { key: 'p2', __typename: 'Post' },
      ],
    })
  })

  test('knows a row by its type and id, whoever told of it, and keeps what did not change as it was', () => {
    const cache = new Cache()
    cache.write(posts, { posts: [post(1), post(2)] })
    const before = cache.read(posts) as { posts: Data[] }
    cache.write(one, { post: post(1, 'new') })
    const after = cache.read(posts) as { posts: Data[] }
    assert.deepEqual(after, { posts: [post(1, 'new'), post(2)] })
    assert.equal(after.posts[1], before.posts[1])
    assert.equal(after.posts[0]?.author, before.posts[0]?.author)
    // What was given once is never changed.
    assert.equal(before.posts[0]?.title, 'title 1')
    cache.write(one, { post: post(1, 'new') })
    assert.equal(cache.read(posts), after)
  })

  test('tells arguments apart, whatever their order, and whether in variables or not', () => {
    const cache = new Cache()
    cache.write(ask('{ posts(where: {a: 1, b: [X]}, limit: 2) { id } }'), { posts: [{ __typename: 'Post', id: 'p1' }] })
    const same = ask('query ($w: W, $n: Int = 2) { posts(limit: $n, where: $w) { id } }', { w: { b: ['X'], a: 1 } })
    assert.deepEqual(cache.read(same), { posts: [{ id: 'p1', __typename: 'Post' }] })
    const other = ask('query ($w: W, $n: Int = 2) { posts(limit: $n, where: $w) { id } }', { w: { b: ['X'], a: 2 } })
    assert.equal(cache.read(other), undefined)
  })

  test('tells a watcher what it reads, and only when that has changed', () => {
    const cache = new Cache()
    cache.write(posts, { posts: [post(1), post(2)] })
    const { told, stop } = watch(cache)
    cache.write(ask('{ me { id name age } }'), { me: { ...ann, age: 7 } })
    cache.write(one, { post: post(1) })
    cache.write(ask('{ post(id: "p9") { id } }'), { post: { __typename: 'Post', id: 'p9' } })
    assert.deepEqual(told, [])
    cache.transact(() => {
      cache.write(one, { post: post(1, 'a') })
      cache.write(one, { post: post(1, 'b') })
    })
    assert.deepEqual(told, [{ posts: [post(1, 'b'), post(2)] }])
    // It follows links that change, and leaves what it does not read any more.
    cache.write(one, { post: post(1, 'b', { __typename: 'User', id: 'u2', name: 'Ben' }) })
    cache.write(ask('{ me { id name } }'), { me: { __typename: 'User', id: 'u2', name: 'Bea' } })
    const last = told.at(-1) as unknown as { posts: { author: Data }[] }
    assert.equal(last.posts[0]?.author.name, 'Bea')
    assert.equal(told.length, 3)
    stop()
    cache.write(one, { post: post(1, 'c') })
    assert.equal(told.length, 3)
  })

  test('tells of the first answer who waits for it', () => {
    const cache = new Cache()
    const { told } = watch(cache)
    cache.write(ask('{ posts { id } }'), { posts: [{ __typename: 'Post', id: 'p1' }] })
    assert.deepEqual(told, [])
    cache.write(one, { post: post(1) })
    assert.deepEqual(told, [{ posts: [post(1)] }])
  })

  test('merges objects without an id into their owner, so that two selections do not take them from each other', () => {
    const cache = new Cache()
    const titles = ask('{ post { id seo { title } } }')
    const texts = ask('{ post { id seo { text } } }')
    const seo = (fields: object) => ({ post: { __typename: 'Post', id: 'p1', seo: { __typename: 'Seo', ...fields } } })
    cache.write(titles, seo({ title: 'a' }))
    const { told } = watch(cache, titles)
    cache.write(texts, seo({ text: 'b' }))
    assert.deepEqual(cache.read(titles), seo({ title: 'a' }))
    assert.deepEqual(cache.read(texts), seo({ text: 'b' }))
    assert.deepEqual(told, [])
    // In a list, the second may have become another: what was known of it is not mixed in.
    const list = (text: string) => ask(`{ post { id blocks { ${text} } } }`)
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

  test('lays optimistic writes upon each other, and takes away any of them', () => {
    const cache = new Cache()
    cache.write(posts, { posts: [post(1), post(2)] })
    const base = cache.read(posts)
    const { told } = watch(cache)
    const prepend = (n: number) => () => {
      const { posts: list } = cache.read(posts) as { posts: Data[] }
      cache.write(posts, { posts: [post(n), ...list] }, { isBorrowed: true })
    }
    const takeFirst = cache.layer(prepend(8))
    const takeSecond = cache.layer(prepend(9))
    const ids = () => (cache.read(posts) as { posts: Data[] }).posts.map(({ id }) => id)
    assert.deepEqual(ids(), ['p9', 'p8', 'p1', 'p2'])
    // What the server tells shows through.
    cache.write(one, { post: post(1, 'from the server') })
    assert.equal((cache.read(posts) as { posts: Data[] }).posts[2]?.title, 'from the server')
    takeFirst()
    assert.deepEqual(ids(), ['p9', 'p1', 'p2'])
    cache.write(one, { post: post(1) })
    takeSecond()
    takeSecond()
    assert.deepEqual(cache.read(posts), base)
    assert.deepEqual(told.at(-1), base)
    const takeRemoval = cache.layer(() => cache.remove('Post:p1'))
    assert.deepEqual(ids(), ['p2'])
    takeRemoval()
    assert.deepEqual(ids(), ['p1', 'p2'])
    assert.throws(() => cache.layer(() => assert.fail('no')), /no/)
    assert.deepEqual(cache.read(posts), base)
  })

  test('lets no answer to an earlier request overwrite a later one, and lets it fill what is missing', () => {
    const cache = new Cache()
    const early = cache.begin()
    const late = cache.begin()
    const withBody = ask('{ posts { id title body } }')
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
    // With nothing on its way, the next answer counts.
    const next = cache.begin()
    cache.write(posts, { posts: [post(1, 'next')] }, { order: next })
    assert.deepEqual(cache.read(posts), { posts: [post(1, 'next')] })
  })

  test('keeps the higher version of a row, in whichever order they come', () => {
    const cache = new Cache()
    const versions = ask('{ post { id _version title } }')
    const at = (_version: number, title: string) => ({ post: { __typename: 'Post', id: 'p1', _version, title } })
    cache.write(versions, at(2, 'two'))
    cache.write(versions, at(1, 'one'))
    assert.deepEqual(cache.read(versions), at(2, 'two'))
    cache.write(versions, at(3, 'three'))
    assert.deepEqual(cache.read(versions), at(3, 'three'))
  })

  test('never keeps what failed as a null', () => {
    const cache = new Cache()
    const data = { posts: [{ ...post(1), author: null }, null] }
    const errors = [{ path: ['posts', 0, 'author', 'name'] }, { path: ['posts', 1] }]
    cache.write(posts, data, { errors })
    assert.equal(cache.read(posts), undefined)
    assert.equal(cache.read(ask('{ posts { id } }')), undefined)
    assert.deepEqual(cache.read(posts, lenient), data)
    // What was known stays.
    cache.write(posts, { posts: [post(1)] })
    cache.write(posts, data, { errors: errors.slice(0, 1) })
    assert.deepEqual((cache.read(posts) as { posts: Data[] }).posts[0], post(1))
  })

  test('leaves a deleted row out of lists, makes it null elsewhere, and takes it back when it is told of again', () => {
    const cache = new Cache()
    cache.write(posts, { posts: [post(1), post(2)] })
    cache.write(one, { post: post(1) })
    const { told } = watch(cache)
    cache.remove('Post:p1')
    assert.deepEqual(told, [{ posts: [post(2)] }])
    assert.deepEqual(cache.read(one), { post: null })
    cache.write(ask('query ($id: ID!) { again: post(id: $id) { id title author { id name } } }', { id: 'p1' }), {
      again: post(1),
    })
    assert.deepEqual(told.at(-1), { posts: [post(1), post(2)] })
    cache.evict('Post:p1')
    assert.equal(cache.read(one), undefined)
    assert.deepEqual(told.at(-1), undefined)
  })

  test('learns from answers which types an interface has, or is told', () => {
    const text = '{ items { id ... on Named { name } ... on Post { title } ...F } } fragment F on Sized { size }'
    const data = {
      items: [
        { __typename: 'User', id: '1', name: 'Ann' },
        { __typename: 'Post', id: '1', title: 'a', size: 3 },
      ],
    }
    const cache = new Cache()
    cache.write(ask(text), data)
    assert.deepEqual(cache.read(ask(text)), data)
    const told = new Cache({ possibleTypes: { Named: ['User', 'Team'], Sized: ['Post'] } })
    told.write(ask('{ items { id name title size } }'), {
      items: [{ __typename: 'Team', id: '1', name: 'x', title: 'no', size: 0 }],
    })
    assert.deepEqual(told.read(ask(text)), { items: [{ __typename: 'Team', id: '1', name: 'x' }] })
  })

  test('minds @skip and @include, with variables and without', () => {
    const text =
      'query ($x: Boolean!) { me { id name @include(if: $x) ... @skip(if: $x) { age } mail @skip(if: true) } }'
    const cache = new Cache()
    cache.write(ask(text, { x: true }), { me: ann })
    assert.deepEqual(cache.read(ask(text, { x: true })), { me: ann })
    assert.equal(cache.read(ask(text, { x: false })), undefined)
  })

  test('merges selections of the same field', () => {
    const text = '{ me { id } ...F } fragment F on Query { me { name friend { id } } me { friend { name } } }'
    const cache = new Cache()
    cache.write(ask(text), { me: { ...ann, friend: ann } })
    assert.deepEqual(cache.read(ask(text)), { me: { ...ann, friend: ann } })
    assert.deepEqual(cache.read(ask('{ me { friend { name } } }')), {
      me: { friend: { name: 'Ann', __typename: 'User' }, __typename: 'User' },
    })
  })
})
