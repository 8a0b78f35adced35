import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PageRead } from '#plan'
import { fakeGraphql, mistakesOf, resource, rows } from '../blog.fixture.ts'

test('slots are numbered filter, page, picks, depth-first: the same in both doors', async () => {
  const { ask, asked } = fakeGraphql({ answers: [rows] })
  await ask(`{ posts(limit: 3, orderBy: [{title: DESC}], where: {title: {eq: "t"}, author: {name: {in: ["a", "b"]}}}, offset: 6) {
    title
    comments(where: {body: {contains: "c"}}, limit: 2) { id }
    author { posts(offset: 1) { id } }
  } }`)
  assert.deepEqual(asked[0]?.values, ['t', ['a', 'b'], 3, 6, 'c', 2, 0, 20, 1])
  assert.deepEqual(asked[0]?.places, [
    'posts.where.title.eq',
    'posts.where.author.name.in',
    'posts.limit',
    'posts.offset',
    'posts.comments.where.body.contains',
    'posts.comments.limit',
    'posts.comments.offset',
    'posts.author.posts.limit',
    'posts.author.posts.offset',
  ])
})

test('what is wrong with the arguments is told at the field, with the path of each mistake', async () => {
  const { ask, asked } = fakeGraphql({ answers: [rows] })
  const response = await ask('query ($n: Int) { postsConnection(after: "x", first: $n) { totalCount } }', { n: null })
  assert.deepEqual(mistakesOf(response), ['postsConnection.after TYPE', 'postsConnection.first TYPE'])
  assert.deepEqual(response.errors?.[0]?.path, ['postsConnection'])
  assert.deepEqual(response.errors?.[0]?.locations, [{ line: 1, column: 19 }])
  assert.equal(response.data, null)
  assert.equal(asked.length, 0)
})

test('an order keeps its keys and is made total', async () => {
  const { ask, asked } = fakeGraphql({ answers: [rows] })
  const text =
    'query ($o: [PostOrder!], $d: Direction!) { a: posts(orderBy: $o) { id } b: posts(orderBy: {title: $d}) { id } }'
  await ask(text, { o: [{ status: 'ASC' }, { title: 'DESC' }], d: 'DESC' })
  const post = resource('Post')
  const key = (name: string, direction: string) => ({ kind: 'field', field: post.fields.get(name), direction })
  assert.deepEqual((asked[0]!.plan as PageRead).order, [key('status', 'ASC'), key('title', 'DESC'), key('id', 'DESC')])
  assert.deepEqual((asked[1]!.plan as PageRead).order, [key('title', 'DESC'), key('id', 'DESC')])
})

test('a variable that is not given leaves the default in place', async () => {
  const { ask, asked } = fakeGraphql({ answers: [rows] })
  await ask('query ($n: Int) { posts(limit: $n, offset: $n) { id } }')
  assert.deepEqual(asked[0]?.values, [20, 0])
})
