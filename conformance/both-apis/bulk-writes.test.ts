// Updates and deletes of all rows that match a filter (docs/reference/rest.md, R67): `PATCH /posts?status=DRAFT`,
// `DELETE /posts?…`, `updatePosts(where, input)` and `deletePosts(where)`.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Context } from '../../packages/twain/src/code/context.ts'
import type { PendingWrite } from '../../packages/twain/src/code/define-service.ts'
import {
  type ApiClient,
  graphqlData,
  openApis,
  type RestAnswer,
  restBody,
  type TestApis,
} from '../harness/open-apis.ts'
import { openWithPeople, type Person } from '../harness/open-with-people.ts'

const sdl = `
  type Post @allow {
    id: ID! title: String! kind: String rank: Int code: String @unique status: Status! @default(value: DRAFT)
    parent: Post @relation(onDelete: SET_NULL) comments: [Comment!]! tags: [Tag!]!
  }
  enum Status { DRAFT @next(to: [PUBLISHED]) PUBLISHED }
  type Comment @allow { id: ID! text: String! post: Post! @relation(onDelete: CASCADE) }
  type Tag @allow { id: ID! word: String! posts: [Post!]! }
`

interface BulkResult {
  count: number
  ids: string[]
}

interface Row {
  id: string
  title: string
  rank: number | null
  _version: number
}

const resultOf = ({ status, body }: RestAnswer) => {
  assert.equal(status, 200, JSON.stringify(body))
  return body as BulkResult
}
const detailOf = ({ body }: RestAnswer) => body as { detail: string; hint?: string; code: string }

describe('writes by a filter', () => {
  let apis: TestApis
  let count = 0
  before(async () => {
    apis = await openApis(sdl, { bulk: 5, page: 3 })
  })
  after(() => apis.close())

  /** Posts of a kind of their own. */
  async function posts(ranks: readonly number[], more: object = {}) {
    const kind = `k${++count}`
    const rows = ranks.map((rank) => ({ title: `t${rank}`, kind, rank, ...more }))
    const made = (await restBody(apis, 'POST', '/posts?fields=id', rows)) as { id: string }[]
    return { kind, ids: made.map(({ id }) => id) }
  }

  const read = async (kind: string) =>
    (await restBody(apis, 'GET', `/posts?kind=${kind}&sort=rank&limit=3&fields=id,title,rank,_version`)) as Row[]

  async function same(rest: [method: string, path: string, body?: unknown], mutation: string) {
    apis.executed.length = 0
    const byRest = await apis.rest(...rest)
    const byGraphql = await apis.graphql(mutation)
    const [one, other] = apis.executed.filter(({ plan }) => plan.kind === 'bulk')
    assert.deepEqual(one?.plan, other?.plan)
    return { byRest, byGraphql }
  }

  test('both APIs have the same plan, and each row gets its version', async () => {
    const { kind, ids } = await posts([1, 2, 3])
    const { byRest, byGraphql } = await same(
      ['PATCH', `/posts?kind=${kind}&rank[gte]=2&sort=-rank`, { title: 'new' }],
      `mutation { updatePosts(where: {and: [{kind: {eq: "${kind}"}}, {rank: {gte: 2}}]}, orderBy: [{rank: DESC}], input: {title: "newer"}) { count ids } }`,
    )
    const expected = { count: 2, ids: [ids[2], ids[1]] }
    assert.deepEqual([byRest.status, byRest.body], [200, expected])
    assert.deepEqual(byGraphql.data, { updatePosts: expected })
    assert.deepEqual(
      (await read(kind)).map(({ title, _version }) => [title, _version]),
      [
        ['t1', 1],
        ['newer', 3],
        ['newer', 3],
      ],
    )
    const deleted = await same(
      ['DELETE', `/posts?kind=${kind}&rank=1`],
      `mutation { deletePosts(where: {and: [{kind: {eq: "${kind}"}}, {rank: {eq: 1}}]}) { count ids } }`,
    )
    assert.deepEqual(deleted.byRest.body, { count: 1, ids: [ids[0]] })
    assert.deepEqual(deleted.byGraphql.data, { deletePosts: { count: 0, ids: [] } })
    assert.equal((await apis.rest('GET', `/posts/${ids[0]}`)).status, 404)
  })

  test('a filter without a condition is refused, however it is written', async () => {
    await posts([1])
    const empty = [
      '{}',
      '{and: []}',
      '{or: [{}]}',
      '{not: {}}',
      '{not: {or: []}}',
      '{id: {notIn: []}}',
      '{id: {isNull: false}}',
      '{kind: {}}',
      '{and: [{}, {or: [{}, {kind: {eq: "x"}}]}]}',
    ]
    for (const where of empty) {
      const { errors } = await apis.graphql(`mutation { deletePosts(where: ${where}) { count } }`)
      assert.equal(errors[0]?.extensions?.code, 'BAD_REQUEST', `${where}: ${JSON.stringify(errors)}`)
    }
    for (const query of ['', '?where={}', '?where={"and":[]}', '?limit=2', '?all=false', '?where={"or":[{}]}']) {
      const answer = await apis.rest('DELETE', `/posts${query}`)
      assert.deepEqual([answer.status, detailOf(answer).code], [400, 'BAD_REQUEST'], query)
    }
    const { errors } = await apis.graphql(
      'mutation ($kind: String) { deletePosts(where: {rank: {gt: 0}, kind: {eq: $kind}}) { count } }',
    )
    assert.match(errors[0]!.message, /\$kind, which has no value/)
    const { errors: wrong } = await apis.graphql('mutation { deletePosts(where: {kind: {eq: null}}) { count } }')
    assert.ok(wrong.length > 0)
    assert.equal((await apis.rest('DELETE', '/posts?all=true&dryRun=true&limit=5')).status, 200)
    assert.equal((await apis.rest('DELETE', '/posts?all=maybe')).status, 400)
  })

  test('parameters that name no rows are refused', async () => {
    for (const parameter of [
      'offset=1',
      'first=2',
      'fields=id',
      'search=x',
      'groupBy=kind',
      'sort=nope',
      'limit=6',
      'limit=-1',
    ]) {
      assert.equal((await apis.rest('DELETE', `/posts?kind=none&${parameter}`)).status, 400, parameter)
    }
    const messageOf = async (query: string) => detailOf(await apis.rest('DELETE', `/posts?${query}`)).detail
    const known = 'where, sort, limit, all, dryRun'
    assert.equal(await messageOf('kind=x&offset=1'), `offset: is not a parameter here; there is ${known}.`)
    assert.equal(
      await messageOf('kind=x&dryrun=true'),
      `dryrun: "dryrun" is neither a field of Post nor one of ${known}. Did you mean "dryRun"?`,
    )
    const patch = { 'content-type': 'application/json-patch+json' }
    assert.equal((await apis.rest('PATCH', '/posts?kind=none', [], patch)).status, 415)
    const conditional = await apis.rest('PATCH', '/posts?kind=none', { title: 'x' }, { 'if-match': '"1"' })
    assert.equal(conditional.status, 400)
    assert.equal(detailOf(conditional).detail, 'if-match is not supported for many rows: each has its own version.')
    assert.equal((await apis.rest('PATCH', '/posts?kind=none', { _comments: { create: [{ text: 'x' }] } })).status, 400)
  })

  test('too many rows are a conflict with their number, and portions take them', async () => {
    const { kind } = await posts([1, 2, 3, 4])
    const other = (await restBody(apis, 'POST', '/posts?fields=id', [
      { title: 'x', kind, rank: 5 },
      { title: 'x', kind, rank: 6 },
      { title: 'x', kind, rank: 7 },
    ])) as object[]
    assert.equal(other.length, 3)
    const refused = await apis.rest('PATCH', `/posts?kind=${kind}`, { title: 'y' })
    assert.equal(refused.status, 409)
    assert.match(detailOf(refused).detail, /^7 posts match; at most 5/)
    assert.match(detailOf(refused).hint ?? '', /The filter must leave out rows that are written already/)
    const { errors } = await apis.graphql(`mutation { deletePosts(where: {kind: {eq: "${kind}"}}) { count } }`)
    assert.match(errors[0]!.message, /^7 posts match; at most 5/)
    const sizes = []
    for (let size = -1; size !== 0; sizes.push(size)) {
      size = resultOf(await apis.rest('DELETE', `/posts?kind=${kind}&limit=3&sort=-rank`)).count
    }
    assert.deepEqual(sizes, [3, 3, 1, 0])
  })

  test('all rows are written or none, and the error names the row', async () => {
    const { kind, ids } = await posts([1, 2])
    const taken = await apis.rest('PATCH', `/posts?kind=${kind}`, { code: `c-${kind}` })
    assert.equal(taken.status, 409)
    assert.ok((taken.body as { errors: { path: string }[] }).errors[0]!.path.endsWith('.code'))
    assert.deepEqual(
      (await read(kind)).map(({ _version }) => _version),
      [1, 1],
    )
    await restBody(apis, 'PATCH', `/posts/${ids[0]}`, { status: 'PUBLISHED' })
    const back = await apis.rest('PATCH', `/posts?kind=${kind}`, { status: 'DRAFT' })
    assert.equal(back.status, 409, JSON.stringify(back.body))
    const sum = await apis.rest('PATCH', `/posts?kind=${kind}&status=DRAFT`, { _increment: { rank: 10 } })
    assert.deepEqual(resultOf(sum), { count: 1, ids: [ids[1]] })
    assert.deepEqual(
      (await read(kind)).map(({ rank }) => rank),
      [1, 12],
    )
  })

  test('the filter is judged before the first row is written', async () => {
    const { kind, ids } = await posts([1])
    const child = (await restBody(apis, 'POST', '/posts?fields=id', { title: 'child', kind, parent: ids[0] })) as Row
    const path = `/posts?where=${encodeURIComponent(JSON.stringify({ kind: { eq: kind }, or: [{ parent: { title: { eq: 't1' } } }, { title: { eq: 't1' } }] }))}`
    const { ids: written } = resultOf(await apis.rest('PATCH', path, { title: 'done' }))
    assert.deepEqual(new Set(written), new Set([ids[0], child.id]))
  })

  test('a dry run returns the rows and writes nothing, and an idempotency key repeats the answer', async () => {
    const { kind, ids } = await posts([1, 2])
    const key = { 'idempotency-key': `key-${kind}` }
    assert.deepEqual(resultOf(await apis.rest('DELETE', `/posts?kind=${kind}&dryRun=true`, undefined, key)).ids, ids)
    const tried = await graphqlData(
      apis,
      `mutation { updatePosts(where: {kind: {eq: "${kind}"}}, input: {title: "x"}, dryRun: true) { n: count __typename } }`,
    )
    assert.deepEqual(tried, { updatePosts: { n: 2, __typename: 'BulkResult' } })
    assert.deepEqual(
      (await read(kind)).map(({ title, _version }) => [title, _version]),
      [
        ['t1', 1],
        ['t2', 1],
      ],
    )
    const refused = await apis.rest('PATCH', `/posts?kind=${kind}&dryRun=true`, { code: `c-${kind}` })
    assert.equal(refused.status, 409)
    const first = await apis.rest('DELETE', `/posts?kind=${kind}`, undefined, key)
    const again = await apis.rest('DELETE', `/posts?kind=${kind}`, undefined, key)
    assert.deepEqual([resultOf(first).count, again.body, again.headers['idempotent-replayed']], [2, first.body, 'true'])
  })

  test('a batch and a transaction refuse them', async () => {
    const batch = await apis.rest('POST', '/batch', [{ method: 'DELETE', path: '/posts?kind=x' }])
    assert.equal(batch.status, 400)
    const { errors } = await apis.graphql('mutation @transaction { deletePosts(where: {kind: {eq: "x"}}) { count } }')
    assert.match(errors[0]!.message, /can not be part of a transaction/)
  })

  test('two writers of the same rows do not wait for each other for ever, and lose nothing', async () => {
    const { kind } = await posts([1, 2, 3])
    const up = (sort: string) => apis.rest('PATCH', `/posts?kind=${kind}&sort=${sort}`, { _increment: { rank: 1 } })
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => up(index % 2 ? '-rank' : 'rank')))
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array(8).fill(200),
    )
    assert.deepEqual(
      (await read(kind)).map(({ rank }) => rank),
      [9, 10, 11],
    )
  })
})

describe('the rules of writes by a filter', () => {
  const ruled = `
    type User @account @allow(to: [READ, CREATE]) @allow(who: "self") { id: ID! email: String! @unique name: String }
    type Note @allow(to: [READ], where: {hidden: {eq: false}}) @allow(who: "signedIn", to: [CREATE])
      @allow(who: "author", to: [READ, UPDATE, DELETE]) {
      id: ID! text: String! hidden: Boolean! @default(value: false) author: User! @auto(set: VIEWER)
    }
  `
  let apis: TestApis
  let ann: Person
  let bob: Person
  before(async () => {
    ;({ apis, ann, bob } = await openWithPeople(ruled))
  })
  after(() => apis.close())

  test('a readable match that may not be written refuses all, with the filter that leaves it out', async () => {
    const create = async (by: ApiClient, body: object) => ((await restBody(by, 'POST', '/notes', body)) as Row).id
    const own = await create(ann, { text: 'a' })
    const other = await create(bob, { text: 'a' })
    await create(bob, { text: 'a', hidden: true })
    const refused = await ann.rest('PATCH', '/notes?text=a', { text: 'b' })
    assert.equal(refused.status, 403)
    assert.match(detailOf(refused).detail, /^You may not update 1 of the 2 notes that match/)
    const [, filter] = /leaves them out: (.*)$/.exec(detailOf(refused).hint ?? '') ?? []
    assert.deepEqual(JSON.parse(filter!), { id: { notIn: [other] } })
    const { errors } = await ann.graphql('mutation { deleteNotes(where: {text: {eq: "a"}}) { count } }')
    assert.equal(errors[0]?.extensions?.code, 'FORBIDDEN')
    assert.equal((await apis.rest('DELETE', '/notes?text=a')).status, 401)
    const path = `/notes?text=a&where=${encodeURIComponent(filter!)}`
    assert.deepEqual(resultOf(await ann.rest('PATCH', path, { text: 'b' })), { count: 1, ids: [own] })
    assert.equal(resultOf(await bob.rest('DELETE', '/notes?text=a')).count, 2)
    assert.equal((await ann.rest('PATCH', '/users?email=x', { email: 'y@example.org' })).status, 400)
  })
})

test('hooks see each row and the dry run, and roll all back', async () => {
  const seen: unknown[] = []
  const service = {
    before: {
      Post: async ({ kind, next }: PendingWrite, { dryRun }: Context) => {
        const { title } = next as { title: string }
        seen.push([kind, title, dryRun])
        if (title === 'no') throw new Error('no')
      },
    },
    after: {
      Post: async (_write: unknown, { dryRun }: Context) => {
        seen.push(dryRun)
      },
    },
  }
  const postsOnly = 'type Post @allow { id: ID! title: String! rank: Int }'
  const apis = await openApis(postsOnly, {}, undefined, undefined, undefined, { service })
  try {
    await restBody(apis, 'POST', '/posts', [
      { title: 'a', rank: 1 },
      { title: 'b', rank: 1 },
    ])
    seen.length = 0
    assert.equal(resultOf(await apis.rest('PATCH', '/posts?rank=1&dryRun=true', { title: 'c' })).count, 2)
    assert.deepEqual(seen, [['update', 'c', true], ['update', 'c', true], true, true])
    seen.length = 0
    assert.equal(resultOf(await apis.rest('PATCH', '/posts?title[in]=a,b', { title: 'd' })).count, 2)
    assert.deepEqual(seen, [['update', 'd', false], ['update', 'd', false], false, false])
    await apis.rest('PATCH', '/posts?rank=1', { title: 'no' }).catch(() => {})
    assert.equal(((await restBody(apis, 'GET', '/posts?title=d')) as Row[]).length, 2)
  } finally {
    await apis.close()
  }
})
