import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultLimits } from '#plan'
import { PlanBuilder, planWhere } from '#plan/build'
import { resource } from '../blog.fixture.ts'
import { parseQuery } from '../request/query-string.ts'
import { planFilters } from './filters.ts'

const pairs: [query: string, where: object][] = [
  ['status=PUBLISHED', { status: { eq: 'PUBLISHED' } }],
  ['createdAt[gte]=2026-01-01T00:00:00Z', { createdAt: { gte: '2026-01-01T00:00:00Z' } }],
  ['status[in]=DRAFT,PUBLISHED', { status: { in: ['DRAFT', 'PUBLISHED'] } }],
  ['createdAt[isNull]=true', { createdAt: { isNull: true } }],
  ['author=u1', { author: { id: { eq: 'u1' } } }],
  ['author[in]=u1,u2', { author: { id: { in: ['u1', 'u2'] } } }],
  ['author[isNull]=false', { author: { isNull: false } }],
  ['author.name[contains]=A', { author: { name: { contains: 'A' } } }],
  ['author.age[lt]=30', { author: { age: { lt: 30 } } }],
  ['author.profile.bio[startsWith]=x', { author: { profile: { bio: { startsWith: 'x' } } } }],
  ['author.address.city=Oslo', { author: { address: { city: { eq: 'Oslo' } } } }],
  ['author.address[isNull]=true', { author: { address: { isNull: true } } }],
  ['tags=t1', { tags: { some: { id: { eq: 't1' } } } }],
  ['comments.body[contains]=x', { comments: { some: { body: { contains: 'x' } } } }],
  ['labels[contains]=a', { labels: { contains: 'a' } }],
  ['labels[eq]=["a","b"]', { labels: { eq: ['a', 'b'] } }],
  ['where[eq]=x&sort[ne]=y', { and: [{ where: { eq: 'x' } }, { sort: { ne: 'y' } }] }],
  ['title[ne]=a&title[ne]=b', { and: [{ title: { ne: 'a' } }, { title: { ne: 'b' } }] }],
  [
    'where={"or":[{"title":{"eq":"a"}},{"tags":{"none":{}}}]}',
    { or: [{ title: { eq: 'a' } }, { tags: { none: {} } }] },
  ],
  ['status=DRAFT&where={"title":{"in":["a,b"]}}', { and: [{ status: { eq: 'DRAFT' } }, { title: { in: ['a,b'] } }] }],
  ['where={}', {}],
]

test('R24–R28: a filter has the same plan and values as the equivalent where', () => {
  for (const [query, where] of pairs) {
    const [rest, graphql] = [new PlanBuilder(), new PlanBuilder()]
    const { filters, problems } = parseQuery(query)
    assert.deepEqual(problems, [])
    assert.deepEqual(
      planFilters(filters, resource('Post'), rest),
      planWhere(where, resource('Post'), graphql, ''),
      query,
    )
    rest.finish(defaultLimits)
    graphql.finish(defaultLimits)
    assert.deepEqual(rest.values(), graphql.values(), query)
  }
})

test('R22: two values that one field must equal at once are a mistake; those of a list, and other operators, are not', () => {
  for (const [query, expected] of [
    ['title=a&title=b', ['title']],
    ['author=a&author.name=x&author=b&author.name=y&author.name=z', ['author', 'author.name', 'author.name']],
    ['author.address.city=a&author.address.city=b', ['author.address.city']],
    ['title=a&title=a&title[eq]=a&author=a&author=a', []],
    ['tags=a&tags=b&comments.body=a&comments.body=b&title[ne]=a&title[ne]=b', []],
  ] as [string, string[]][]) {
    const builder = new PlanBuilder()
    planFilters(parseQuery(query).filters, resource('Post'), builder)
    assert.deepEqual(
      builder.problems.map(({ path }) => path),
      expected,
    )
    for (const { message } of builder.problems) assert.match(message, /write [a-z.]+\[in\]=a,b\./)
  }
})

test('R71: a problem of a value has the name of its parameter', () => {
  const builder = new PlanBuilder()
  planFilters(parseQuery('author.name[contains]=A&where={"title":{"eq":"a"}}').filters, resource('Post'), builder)
  assert.deepEqual(builder.places, ['author.name[contains]', 'where.title.eq'])
})

test('R23: unknown fields and operators are reported together, with suggestions', () => {
  const query =
    'titel=x&author.nme=y&title[contain]=z&title.x=1&tags[isNull]=true&limt=5&author.address.cty=1&createdAt[isNull]=maybe'
  const builder = new PlanBuilder()
  planFilters(parseQuery(query).filters, resource('Post'), builder)
  assert.deepEqual(
    builder.problems.map(({ path, message }) => `${path}: ${/Did you mean (.*)\?/.exec(message)?.[1] ?? ''}`),
    [
      'titel: "title"',
      'author.nme: "name"',
      'title[contain]: "contains"',
      'title.x: ',
      'tags[isNull]: ',
      'limt: "limit"',
      'author.address.cty: "city"',
      'createdAt[isNull]: ',
    ],
  )
})

test('R23: an unknown parameter lists the known ones, and null suggests isNull', () => {
  const builder = new PlanBuilder()
  planFilters(
    parseQuery('page=2&createdAt=null&status[ne]=null&title=null&labels[contains]=null').filters,
    resource('Post'),
    builder,
  )
  assert.deepEqual(
    builder.problems.map(({ path, message }) => `${path}: ${message}`),
    [
      'page: "page" is neither a field of Post nor one of sort, limit, offset, first, after, where, fields, search, distinct, groupBy.',
      'createdAt: needs a value; use createdAt[isNull]=true for rows without one.',
      'status[ne]: needs a value; use status[isNull]=true for rows without one.',
    ],
  )
})

test('R25: the path of a filter has at most 16 steps', () => {
  const builder = new PlanBuilder()
  planFilters(parseQuery(`${'author.posts.'.repeat(20)}title=x`).filters, resource('Post'), builder)
  assert.equal(builder.problems[0]?.code, 'RANGE')
})

test('R28: all filters together share the limit of one where', () => {
  for (const [filter, count, problems] of [
    ['title[ne]=', 200, 0],
    ['title[ne]=', 201, 1],
    ['author.name[ne]=', 100, 0],
    ['author.name[ne]=', 101, 1],
  ] as const) {
    const builder = new PlanBuilder()
    planFilters(
      parseQuery(Array.from({ length: count }, (_, index) => filter + index).join('&')).filters,
      resource('Post'),
      builder,
    )
    assert.equal(builder.problems.length, problems)
  }
})
