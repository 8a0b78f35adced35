import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultLimits } from '#plan'
import { fullVisibility, orderName, PlanBuilder, planOrder, writeCursor } from '#plan/build'
import { blog, fakeRest, problemPathsOf, resource } from '../blog.fixture.ts'
import { parseQuery } from '../request/query-string.ts'
import { Router } from '../request/route.ts'
import { ReadPlanner } from './plan-read.ts'

const router = new Router(blog)
const planner = new ReadPlanner(defaultLimits)

test('one row is read by the id of the path', () => {
  const { plan, values, places } = planner.item(parsedRequest('/posts/p1'))
  assert.equal(plan.of, resource('Post'))
  assert.deepEqual([plan.id!.index, values, places], [0, ['p1'], ['id']])
})

test('R31, R36: the order of parameters is id of the path, filters, page, selections', () => {
  const { plan, values, places } = planner.page(
    parsedRequest('/users/u1/posts?title=x&limit=5&fields=comments.id&status[in]=DRAFT,PUBLISHED&sort=-title'),
  )
  assert.deepEqual(values, ['u1', 'x', ['DRAFT', 'PUBLISHED'], 5, 0, 20, 0])
  assert.deepEqual(places, ['id', 'title', 'status[in]', 'limit', 'offset', 'fields.comments', 'fields.comments'])
  assert.equal(plan.within?.field, resource('User').fields.get('posts'))
  assert.deepEqual(
    plan.order.map((key) => [key.kind === 'field' && key.field.name, key.direction]),
    [
      ['title', 'DESC'],
      ['id', 'DESC'],
    ],
  )
})

test('requests of one shape share a plan, and differ in values', () => {
  for (const [first, second, values] of [
    ['/posts/a', '/posts/b', ['b']],
    ['/posts?title=a&limit=1', '/posts?title=b&limit=2', ['b', 2, 0]],
    ['/posts?first=1&author=a', '/posts?author=b&first=2', ['b', 2]],
    ['/posts?where={"title":{"eq":"a"}}', '/posts?where={"title":{"eq":"b"}}', ['b', 20, 0]],
    ['/users/a/posts', '/users/b/posts', ['b', 20, 0]],
    ['/founds?offset=1', '/founds?offset=2', [20, 2]],
  ] as const) {
    const [before, after] = [plan(first), plan(second)]
    assert.equal(after.plan, before.plan, second)
    assert.deepEqual(after.values, values, second)
  }
})

test('a request with another plan has another shape', () => {
  const shapes = [
    '/posts',
    '/posts?limit=20',
    '/posts?first=20',
    '/posts?fields=id',
    '/posts?fields=title',
    '/posts?sort=title',
    '/posts?createdAt[isNull]=true',
    '/posts?createdAt[isNull]=false',
    '/posts?title=a',
    '/posts?title[ne]=a',
    '/posts?title[ne]=a&title[ne]=b',
    '/users/u1/posts',
  ]
  assert.equal(new Set(shapes.map((target) => plan(target).plan)).size, shapes.length)
})

test('R34: each request decodes its cursor, and a null in it is another shape', () => {
  const post = resource('Post')
  const name = orderName(
    post,
    planOrder([{ field: 'createdAt', direction: 'ASC', place: '' }], post, new PlanBuilder()),
  )
  const target = (...keys: unknown[]) => `/posts?sort=createdAt&after=${writeCursor(name, JSON.stringify(keys))}`
  const [first, second, third] = [plan(target('t1', 'a')), plan(target('t2', 'b')), plan(target(null, 'c'))]
  assert.equal(first.plan, second.plan)
  assert.deepEqual(second.values, [20, 't2', 'b'])
  assert.notEqual(first.plan, third.plan)
  assert.deepEqual(third.values, [20, 'c'])
})

test('R23, R35: all mistakes of a request are reported together', async () => {
  const { send, executed } = fakeRest()
  const query = 'first=1&limit=2&sort=titel,-comments&fields=nme&satus=x&search=x&limit=3&a=%zz&after=nonsense'
  assert.deepEqual(problemPathsOf(await send(`/posts?${query}`)).sort(), [
    'a PATTERN',
    'after TYPE',
    'fields.nme UNKNOWN',
    'first UNKNOWN',
    'limit UNKNOWN',
    'satus UNKNOWN',
    'search UNKNOWN',
    'sort UNKNOWN',
    'sort UNKNOWN',
  ])
  assert.deepEqual(problemPathsOf(await send('/posts/p1?title=x&where={}&sort=id&fields=id')).sort(), [
    'sort UNKNOWN',
    'title UNKNOWN',
    'where UNKNOWN',
  ])
  assert.equal(executed.length, 0)
})

test('a cached plan does not hide a mistake in a parameter', () => {
  plan('/posts?title=a')
  assert.throws(() => plan('/posts?title=a&b=%zz'), /percent-encoded/)
})

test('the page size is checked against the limits, also beside another mistake', () => {
  const wide = new ReadPlanner({ ...defaultLimits, page: 500 })
  assert.throws(() => wide.page(parsedRequest('/posts?limit=300&titel=x')), /^ApiError: titel: (?!.*more\)$)/)
})

function parsedRequest(target: string) {
  const [path = '', query = ''] = target.split('?')
  return { ...router.find(path), query: parseQuery(query), visibility: fullVisibility }
}

function plan(target: string) {
  const request = parsedRequest(target)
  return request.route.kind === 'item' ? planner.item(request) : planner.page(request)
}

test('R30: a sort or fields in the syntax of another API is corrected', async () => {
  const { send } = fakeRest()
  for (const [query, message] of [
    ['sort=title:desc', '"title:desc" is written as -title.'],
    ['sort=title+asc', '"title asc" is written as title.'],
    ['sort=title.desc', '"title.desc" is written as -title.'],
    ['sort=author.name:desc', '"author.name:desc" is written as -author.name.'],
    ['sort=author.', '"author." is not the name of a field; write sort=-createdAt,title.'],
    ['sort=', 'has an empty name; write sort=-createdAt,title.'],
    ['fields=', 'has an empty name; write fields=id,author.name, or leave it out.'],
    ['fields=id,', 'has an empty name; write fields=id,author.name, or leave it out.'],
    [
      'createdAt[gte]=2026-01-01T00:00:00Z&createdAt[gte]=null',
      'needs a value; use createdAt[isNull]=true for rows without one.',
    ],
  ]) {
    await send('/posts?createdAt[gte]=2026-01-01T00:00:00Z&createdAt[gte]=2026-01-01T00:00:00Z')
    const { errors } = JSON.parse(String((await send(`/posts?${query}`)).body)) as { errors: { message: string }[] }
    assert.deepEqual(
      errors.map((error) => error.message),
      [message],
    )
  }
})
