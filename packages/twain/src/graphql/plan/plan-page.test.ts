import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PageRead } from '#plan'
import { fakeGraphql, mistakesOf, resource, rows } from '../blog.fixture.ts'

test('parameters are numbered filter, page, selections, depth-first, as in REST', async () => {
  const { run, executedPlans } = fakeGraphql({ answers: [rows] })
  await run(`{ posts(limit: 3, orderBy: [{title: DESC}], where: {title: {eq: "t"}, author: {name: {in: ["a", "b"]}}}, offset: 6) {
    title
    comments(where: {body: {contains: "c"}}, limit: 2) { id }
    author { posts(offset: 1) { id } }
  } }`)
  assert.deepEqual(executedPlans[0]?.values, ['t', ['a', 'b'], 3, 6, 'c', 2, 0, 20, 1])
  assert.deepEqual(executedPlans[0]?.places, [
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

test('problems of the arguments are reported at the field, each with its path', async () => {
  const { run, executedPlans } = fakeGraphql({ answers: [rows] })
  const response = await run('query ($n: Int) { postsConnection(after: "x", first: $n) { totalCount } }', { n: null })
  assert.deepEqual(mistakesOf(response), ['postsConnection.after TYPE', 'postsConnection.first TYPE'])
  assert.deepEqual(response.errors?.[0]?.path, ['postsConnection'])
  assert.deepEqual(response.errors?.[0]?.locations, [{ line: 1, column: 19 }])
  assert.equal(response.data, null)
  assert.equal(executedPlans.length, 0)
})

test('an order has its keys and ends with the id', async () => {
  const { run, executedPlans } = fakeGraphql({ answers: [rows] })
  const text =
    'query ($o: [PostOrder!], $d: Direction!) { a: posts(orderBy: $o) { id } b: posts(orderBy: {title: $d}) { id } }'
  await run(text, { o: [{ status: 'ASC' }, { title: 'DESC' }], d: 'DESC' })
  const post = resource('Post')
  const key = (name: string, direction: string) => ({ kind: 'field', field: post.fields.get(name), direction })
  assert.deepEqual((executedPlans[0]!.plan as PageRead).order, [
    key('status', 'ASC'),
    key('title', 'DESC'),
    key('id', 'DESC'),
  ])
  assert.deepEqual((executedPlans[1]!.plan as PageRead).order, [key('title', 'DESC'), key('id', 'DESC')])
})

test('an absent variable leaves the default', async () => {
  const { run, executedPlans } = fakeGraphql({ answers: [rows] })
  await run('query ($n: Int) { posts(limit: $n, offset: $n) { id } }')
  assert.deepEqual(executedPlans[0]?.values, [20, 0])
})
