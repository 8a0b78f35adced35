// `distinct`: the first row, by the order, of each combination of values. Each answer is compared with a plain loop over the rows,
// on both APIs, by offset and by cursor; then nulls, references, interfaces, nested lists, rules, totals, mistakes, cost.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { system, type Viewer } from '../../packages/twain/src/base/http/index.ts'
import { type ApiClient, graphqlData, openApis, restBody, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  type User @account(login: "name") @allow(to: [READ, CREATE]) {
    id: ID! name: String! @unique
    posts: [Post!]! @relation(inverse: "author")
  }
  enum Status { DRAFT OPEN DONE }
  type Post implements Thing @allow(to: [CREATE]) @allow(to: [READ], where: {hidden: {ne: true}}) @allow(to: [READ], who: "author") {
    id: ID! word: String! status: Status! rank: Int author: User hidden: Boolean
    price: Decimal
    secret: String @allow(who: "author")
    never: String @allow(role: "admin")
    data: JSON
    tags: [Tag!]!
  }
  type Tag implements Thing @allow { id: ID! word: String! rank: Int posts: [Post!]! }
  interface Thing { id: ID! word: String! rank: Int }
`

interface Row {
  id: string
  word: string
  status: string
  rank: number | null
  author: string | null
  hidden: boolean
  price: string | null
  secret: string | null
}

const words = ['ash', 'Elm', 'fir']
const states = ['DRAFT', 'OPEN', 'DONE']
const people = ['ann', 'bob', null]

/** The fields change at different paces, so that all kinds of combinations occur. */
const rows: Row[] = Array.from({ length: 40 }, (_, n) => ({
  id: `p${String((n * 17) % 40).padStart(2, '0')}`,
  word: words[(n * 7) % 3]!,
  status: states[(n >> 1) % 3]!,
  rank: n % 5 === 4 ? null : (n * 3) % 4,
  author: people[(n >> 2) % 3]!,
  hidden: n % 9 === 1,
  price: n % 4 === 0 ? null : n % 4 === 1 ? '1.50' : '2',
  secret: n % 2 === 0 ? 'x' : 'y',
}))

let apis: TestApis
let ann: ApiClient
before(async () => {
  apis = await openApis(sdl)
  const put = (path: string, row: object) => restBody(apis.as(system), 'PUT', path, row)
  for (const id of ['ann', 'bob']) await put(`/users/${id}`, { name: id, password: 'long enough' })
  for (const [id, rank] of [['t1', 1] as const, ['t2', null] as const]) await put(`/tags/${id}`, { word: 'ash', rank })
  for (const [at, { id, ...row }] of rows.entries())
    await put(`/posts/${id}`, { ...row, tags: at % 3 === 0 ? ['t1'] : ['t2'] })
  const viewer: Viewer = { account: 'ann', roles: [], authenticated: true, token: null }
  ann = apis.as(viewer)
})
after(() => apis.close())

/** The first row of each combination, by a plain loop. */
function firstOf(
  sorted: readonly Row[],
  fields: readonly (keyof Row)[],
  seen = (row: Row, field: keyof Row) => row[field],
) {
  const met = new Set<string>()
  return sorted.filter((row) => {
    const combination = JSON.stringify(fields.map((field) => seen(row, field)))
    return !met.has(combination) && met.add(combination)
  })
}

const byId = (rows: readonly Row[]) => rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
const visible = rows.filter(({ hidden }) => !hidden)

interface Page {
  totalCount: number
  edges: { node: { id: string } }[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}

/** Asks both APIs, by offset and by cursor pages of several sizes. */
async function ask(client: ApiClient, distinct: string, sort: string, filter = ''): Promise<string> {
  const list = await client.rest(
    'GET',
    `/posts?distinct=${distinct}&sort=${sort}&limit=100&fields=id${filter}`,
    undefined,
    {
      prefer: 'count=exact',
    },
  )
  assert.equal(list.status, 200, JSON.stringify(list.body))
  const ids = (list.body as { id: string }[]).map(({ id }) => id)
  assert.equal(list.headers['x-total-count'], String(ids.length), 'the total is that of the list')
  const orderBy = sort.split(',').map((key) => ({ [key.replace('-', '')]: key.startsWith('-') ? 'DESC' : 'ASC' }))
  const query = `query ($d: [PostDistinctField!], $o: [PostOrder!], $n: Int!, $after: String) {
    page: postsConnection(distinct: $d, orderBy: $o, first: $n, after: $after) { totalCount edges { node { id } } pageInfo { hasNextPage endCursor } } }`
  for (const size of filter === '' ? [1, 3, 50] : []) {
    const seen: string[] = []
    for (let after: string | null = null; ; ) {
      const variables = { d: distinct.split(','), o: orderBy, n: size, after }
      const page = (await graphqlData(client, query, variables)).page as Page
      assert.equal(page.totalCount, ids.length)
      seen.push(...page.edges.map(({ node }) => node.id))
      if (!page.pageInfo.hasNextPage) break
      after = page.pageInfo.endCursor
    }
    assert.deepEqual(seen, ids, `${distinct} by ${size}`)
  }
  return ids.join(' ')
}

const idsOf = (rows: readonly Row[]) => rows.map(({ id }) => id).join(' ')

test('R210: the first row of each combination, in the order of the list', async () => {
  const sorted = byId(visible)
  assert.equal(await ask(apis, 'status', 'id'), idsOf(firstOf(sorted, ['status'])))
  assert.equal(await ask(apis, 'status,rank', 'id'), idsOf(firstOf(sorted, ['status', 'rank'])), 'null is a value')
  assert.equal(await ask(apis, 'price', '-id'), idsOf(firstOf(sorted.toReversed(), ['price'])))
  const byRank = sorted.toSorted((a, b) => (b.rank ?? -1) - (a.rank ?? -1))
  // The id follows the direction of the key before it.
  const descending = byRank.toSorted((a, b) => (b.rank ?? -1) - (a.rank ?? -1) || (a.id < b.id ? 1 : -1))
  assert.equal(await ask(apis, 'author', '-rank'), idsOf(firstOf(descending, ['author'])))
  assert.equal(
    await ask(apis, 'author,status', 'status,id'),
    idsOf(
      firstOf(
        sorted.toSorted((a, b) => (a.status < b.status ? -1 : a.status === b.status ? 0 : 1)),
        ['author', 'status'],
      ),
    ),
  )
  assert.equal(await ask(apis, 'id', 'id'), idsOf(sorted))
})

test('a filter comes first; offsets, links and pages are those of the short list', async () => {
  const found = firstOf(byId(visible.filter(({ rank }) => rank === 1)), ['status'])
  assert.equal(await ask(apis, 'status', 'id', '&rank=1'), idsOf(found))
  const first = await apis.rest('GET', '/posts?distinct=status&limit=2&fields=id')
  assert.match(String(first.headers.link), /\/posts\?distinct=status&fields=id&offset=2&limit=2>; rel="next"/)
  const rest = await apis.rest('GET', '/posts?distinct=status&limit=2&offset=2&fields=id')
  const all = [...(first.body as { id: string }[]), ...(rest.body as { id: string }[])]
  assert.equal(all.map(({ id }) => id).join(' '), idsOf(firstOf(byId(visible), ['status'])))
  assert.doesNotMatch(String(rest.headers.link), /rel="next"/)
  const lines = await apis.rest('GET', '/posts?distinct=status&fields=id', undefined, { accept: 'text/csv' })
  assert.equal(lines.status, 200)
})

test('rules: only readable rows represent, and an unreadable value is null', async () => {
  const readable = rows.filter(({ hidden, author }) => !hidden || author === 'ann')
  assert.equal(await ask(ann, 'status,author', 'id'), idsOf(firstOf(byId(readable), ['status', 'author'])))
  const secrets = firstOf(byId(readable), ['secret'], (row, field) => (row.author === 'ann' ? row[field] : null))
  assert.equal(await ask(ann, 'secret', 'id'), idsOf(secrets))
})

test('an interface tells the rows of all its types apart together', async () => {
  const list = (await restBody(apis, 'GET', '/things?distinct=rank&sort=-id&fields=id')) as { id: string }[]
  const { things } = (await graphqlData(apis, '{ things(distinct: [rank], orderBy: [{id: DESC}]) { id } }')) as {
    things: { id: string }[]
  }
  assert.deepEqual(things, list)
  const tags = [
    { id: 't1', rank: 1 },
    { id: 't2', rank: null },
  ]
  const sorted = [...visible, ...tags].toSorted((a, b) => (a.id < b.id ? 1 : -1)) as Row[]
  assert.equal(list.map(({ id }) => id).join(' '), idsOf(firstOf(sorted, ['rank'])))
})

test('in nested lists of both APIs, beside references and links', async () => {
  const { users, tags } = (await graphqlData(
    apis,
    '{ users { id posts(distinct: status, orderBy: [{id: ASC}]) { id } } tags { id postsConnection(distinct: [author], first: 2) { totalCount edges { node { id } } } } }',
  )) as { users: { id: string; posts: { id: string }[] }[]; tags: { id: string; postsConnection: Page }[] }
  for (const { id, posts } of users) {
    const own = byId(visible.filter(({ author }) => author === id))
    assert.equal(posts.map((post) => post.id).join(' '), idsOf(firstOf(own, ['status'])))
    const list = (await restBody(apis, 'GET', `/users/${id}/posts?distinct=status&fields=id`)) as { id: string }[]
    assert.deepEqual(list, posts)
  }
  const linked = firstOf(byId(visible.filter((row) => rows.indexOf(row) % 3 === 0)), ['author'])
  assert.equal(tags[0]!.postsConnection.totalCount, linked.length)
  assert.deepEqual(
    tags[0]!.postsConnection.edges.map(({ node }) => node.id),
    linked.slice(0, 2).map(({ id }) => id),
  )
})

test('by a key behind a reference, and by the number of rows in a list', async () => {
  const sorted = byId(visible).toSorted((a, b) =>
    (a.author ?? 'z') < (b.author ?? 'z') ? -1 : a.author === b.author ? 0 : 1,
  )
  const list = (await restBody(apis, 'GET', '/posts?distinct=status&sort=author.name&fields=id')) as { id: string }[]
  assert.equal(list.map(({ id }) => id).join(' '), idsOf(firstOf(sorted, ['status'])))
  const counted = (await restBody(apis, 'GET', '/posts?distinct=word&sort=-tags._count,id&fields=id')) as unknown[]
  assert.equal(counted.length, words.length)
})

test('mistakes, and a field that is never readable is unknown', async () => {
  for (const [distinct, message] of [
    ['statu', '"statu" is not a field of Post. Did you mean "status"?'],
    ['never', '"never" is not a field of Post.'],
    ['data', '"data" of Post has no values that tell rows apart.'],
    ['tags', '"tags" of Post has no values that tell rows apart.'],
    ['status,status', '"status" is named twice.'],
    ['id,word,status,rank,author,price', 'has 6 fields; at most 5 are allowed.'],
  ]) {
    const { status, body } = await apis.rest('GET', `/posts?distinct=${distinct}`)
    assert.equal(status, 400)
    assert.equal((body as { errors: { message: string }[] }).errors[0]!.message, message)
  }
  const { status: one } = await apis.rest('GET', '/posts/p00?distinct=status')
  assert.equal(one, 400)
  const { status: grouped } = await apis.rest('GET', '/posts?distinct=status&groupBy=status')
  assert.equal(grouped, 400)
  const refused = await ann.graphql('{ posts(distinct: [never]) { id } }')
  assert.match(JSON.stringify(refused), /never/)
  assert.doesNotMatch(JSON.stringify(refused), /"posts"/)
})
