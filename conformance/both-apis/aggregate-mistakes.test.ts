// Mistakes in requests for groups: each is a 400 with its place, in both APIs, and nothing is silently left out.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openApis, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  type Author @allow { id: ID! name: String! posts: [Post!]! }
  type Post @allow { id: ID! title: String! rank: Int score: Float timeZone: String groupBy: String at: DateTime day: Date tags: [String!] author: Author }
`

let apis: TestApis
before(async () => {
  apis = await openApis(sdl)
  for (const [title, timeZone, groupBy] of [
    ['a', 'UTC', 'x'],
    ['b', null, null],
  ] as const)
    await apis.rest('POST', '/posts', { title, timeZone, groupBy, rank: 1, score: 1e308 })
})
after(() => apis.close())

const wrong: [path: string, place: string, code: string, message: RegExp][] = [
  ['groupBy=titel', 'groupBy', 'UNKNOWN', /"titel" is not a field of Post. Did you mean "title"/],
  ['groupBy=tags', 'groupBy', 'UNKNOWN', /"tags" of Post has no values that rows could be grouped by/],
  ['groupBy=author', 'groupBy', 'UNKNOWN', /such as author.id/],
  ['groupBy=author.posts.title', 'groupBy', 'UNKNOWN', /"posts" is a list/],
  ['groupBy=title.x', 'groupBy', 'UNKNOWN', /"title" has nothing inside/],
  ['groupBy=title(month)', 'groupBy', 'UNKNOWN', /"MONTH" is not a part of this field; there is VALUE/],
  ['groupBy=day(hour)', 'groupBy', 'UNKNOWN', /VALUE, DAY, WEEK/],
  ['groupBy=title[x]', 'groupBy', 'UNKNOWN', /is not a key/],
  ['groupBy=title,title', 'groupBy', 'UNKNOWN', /named twice/],
  ['groupBy=id,title,rank,score,at,day', 'groupBy', 'RANGE', /6 keys; at most 5/],
  ['groupBy=at(day)&timeZone=Mars/Olympus', 'timeZone', 'TYPE', /name of a time zone/],
  ['groupBy=title&timeZone=Mars/Olympus', 'timeZone', 'TYPE', /name of a time zone/],
  [
    'groupBy=title&fields=rank,_count',
    'fields',
    'UNKNOWN',
    /"rank" is not what the rows are grouped by; the keys are title/,
  ],
  ['groupBy=title&fields=_median.rank', 'fields', 'UNKNOWN', /"median" is not a measure/],
  ['groupBy=title&fields=_sum.title', 'fields', 'UNKNOWN', /"title" of Post is no number/],
  ['groupBy=title&fields=_count.rank', 'fields', 'UNKNOWN', /counts rows/],
  ['groupBy=title&fields=_sum', 'fields', 'REQUIRED', /must name a field/],
  ['groupBy=title&sort=rank', 'sort', 'UNKNOWN', /not what the rows are grouped by/],
  ['groupBy=title&sort=_count,_count', 'sort', 'UNKNOWN', /named twice/],
  ['groupBy=title&_count[gte]=x', '_count[gte]', 'TYPE', /whole number/],
  ['groupBy=title&_count[in]=1', '_count[in]', 'UNKNOWN', /not an operator of groups/],
  ['groupBy=title&_sum.rank[between]=1', '_sum.rank[between]', 'TYPE', /two values/],
  ['groupBy=title&limit=1001', 'limit', 'RANGE', /between 0 and 1000/],
  ['groupBy=title&first=5', 'first', 'UNKNOWN', /groups have limit and offset/],
  ['groupBy=&limit=5', 'limit', 'UNKNOWN', /one row/],
  ['groupBy=&_count[gte]=1', '_count[gte]', 'UNKNOWN', /one row/],
  ['_count[gte]=1', '_count[gte]', 'UNKNOWN', /"_count" is neither a field/],
]

for (const [query, place, code, message] of wrong) {
  test(`GET /posts?${query}`, async () => {
    const { status, body } = await apis.rest('GET', `/posts?${query}`)
    const { errors } = body as { errors: { path: string; code: string; message: string }[] }
    assert.equal(status, 400)
    assert.deepEqual([errors[0]!.path, errors[0]!.code], [place, code], JSON.stringify(errors))
    assert.match(errors[0]!.message, message)
  })
}

const wrongFields: [field: string, message: RegExp][] = [
  ['postsGroupBy(by: []) { count }', /must name a key/],
  ['postsGroupBy(by: [{title: VALUE}]) { key { rank } }', /"rank" is not what the rows are grouped by/],
  ['postsGroupBy(by: [{title: VALUE}], orderBy: [{sum: {title: ASC}}]) { count }', /is no number/],
  ['postsGroupBy(by: [{title: VALUE}], timeZone: "x") { count }', /name of a time zone/],
  ['postsGroupBy(by: [{title: VALUE}], limit: 1001) { count }', /between 0 and 1000/],
  [
    'postsGroupBy(by: [{id: VALUE}, {title: VALUE}, {rank: VALUE}, {score: VALUE}, {at: VALUE}, {day: VALUE}]) { count }',
    /6 keys; at most 5/,
  ],
  ['postsGroupBy(by: [{title: MONTH}]) { count }', /does not exist in "GroupByValue"/],
  ['postsAggregate { key { title } }', /Cannot query field "key"/],
  ['postsAggregate { sum { title } }', /Cannot query field "title"/],
]

for (const [field, message] of wrongFields) {
  test(field, async () => {
    const { errors } = await apis.graphql(`{ ${field} }`)
    const [first] = errors
    assert.match([first!.message, ...(first!.extensions?.errors ?? []).map((one) => one.message)].join(' '), message)
  })
}

test('more than 20 measures are too many, however they are spread', async () => {
  const names = ['id', 'title', 'rank', 'score', 'timeZone', 'groupBy', 'at', 'day']
  const measures = [...names.map((name) => `_countDistinct.${name}`), ...names.slice(1).map((name) => `_min.${name}`)]
  const max = ['rank', 'score', 'at', 'day', 'title'].map((name) => `_max.${name}`)
  const fields = [...measures, ...max].join()
  assert.equal((await apis.rest('GET', `/posts?groupBy=title&fields=${fields}`)).status, 200)
  const more = await apis.rest('GET', `/posts?groupBy=title&fields=${fields}&sort=_avg.rank`)
  assert.equal(more.status, 400)
  assert.match(JSON.stringify(more.body), /at most 20/)
  const distinct = `countDistinct { ${names.join(' ')} }`
  const extremes = `min { ${names.slice(1).join(' ')} } max { rank score at day title }`
  const group = (order: string) =>
    apis.graphql(`{ postsGroupBy(by: [{title: VALUE}]${order}) { ${distinct} ${extremes} } }`)
  assert.deepEqual((await group('')).errors ?? [], [])
  assert.match(JSON.stringify((await group(', orderBy: [{avg: {rank: ASC}}]')).errors), /at most 20/)
})

test('fields that have the names of the parameters are filtered by with an operator', async () => {
  const titles = async (query: string) =>
    ((await apis.rest('GET', `/posts?fields=title&${query}`)).body as { title: string }[]).map(({ title }) => title)
  assert.deepEqual(await titles('timeZone=UTC'), ['a'])
  assert.deepEqual(await titles('groupBy[eq]=x'), ['a'])
  const grouped = await apis.rest('GET', '/posts?groupBy=title&groupBy[eq]=x&timeZone[eq]=UTC&timeZone=Europe/Oslo')
  assert.deepEqual(grouped.body, [{ key: { title: 'a' }, count: 1 }])
})

test('a sum of Floats beyond a double is a 400', async () => {
  const { status, body } = await apis.rest('GET', '/posts?groupBy=&fields=_sum.score')
  assert.equal(status, 400)
  assert.match(JSON.stringify(body), /RANGE/)
  const { errors } = await apis.graphql('{ postsAggregate { sum { score } } }')
  assert.match(JSON.stringify(errors), /RANGE/)
})
