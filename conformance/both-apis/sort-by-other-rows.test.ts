// Orders by fields of rows that a row refers to, and by numbers of rows in lists: mistakes, cursors over nulls and ties, nested
// lists, interfaces, rules, cost, custom code. Random orders are compared with the oracle in random-requests.test.ts, and with the
// reference rules in rules/cells.test.ts.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { system, type Viewer } from '../../packages/twain/src/base/http/index.ts'
import { type ApiClient, graphqlData, openApis, restBody, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  type User @account(login: "name") @allow(to: [READ, CREATE]) {
    id: ID! name: String! @unique rank: Int
    secret: String @allow(who: "self")
    hidden: String @allow(role: "admin")
    boss: User staff: [User!]! @relation(inverse: "boss")
    notes: [Note!]! @relation(inverse: "author")
  }
  type Note @allow(to: [CREATE]) @allow(to: [READ], where: {open: {eq: true}}) @allow(to: [READ], who: "author") {
    id: ID! text: String! open: Boolean! author: User tags: [Tag!]! replies: [Reply!]!
  }
  type Reply @allow { id: ID! word: String! note: Note on: Thing }
  type Tag @allow { id: ID! word: String! notes: [Note!]! }
  interface Thing { id: ID! word: String! }
  type Stone implements Thing @allow { id: ID! word: String! }
  type Plant implements Thing @allow { id: ID! word: String! }
`

let apis: TestApis
let ann: ApiClient
before(async () => {
  apis = await openApis(sdl)
  const put = (path: string, row: object) => restBody(apis.as(system), 'PUT', path, row)
  await put('/users/ann', { name: 'Ann', password: 'long enough', rank: 2, secret: 's1' })
  await put('/users/bob', { name: 'Bob', password: 'long enough', rank: null, secret: 's2', boss: 'ann' })
  await put('/users/cat', { name: 'Cat', password: 'long enough', rank: 2, boss: 'bob' })
  for (const [id, author, open, tags] of [
    ['n1', 'cat', true, ['t1']],
    ['n2', 'ann', true, ['t1', 't2']],
    ['n3', 'bob', true, []],
    ['n4', null, true, ['t2']],
    ['n5', 'ann', false, ['t1', 't2']],
    ['n6', 'bob', true, ['t2']],
  ] as const) {
    for (const tag of tags) await put(`/tags/${tag}`, { word: tag })
    await put(`/notes/${id}`, { text: id, open, author, tags })
  }
  await put('/stones/s', { word: 'basalt' })
  await put('/plants/p', { word: 'alder' })
  await put('/replies/r1', { word: 'x', note: 'n5', on: 'Stone:s' })
  await put('/replies/r2', { word: 'y', note: 'n2', on: 'Plant:p' })
  await put('/replies/r3', { word: 'z' })
  const viewer: Viewer = { account: 'ann', roles: [], authenticated: true, token: null }
  ann = apis.as(viewer)
})
after(() => apis.close())

interface Page {
  edges: { node: { id: string } }[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}

/** All rows, and the same by pages of each size, through both APIs. */
async function inOrder(client: ApiClient, path: string, list: string, type: string, sort: string): Promise<string> {
  const rows = (await restBody(client, 'GET', `/${path}?sort=${sort}&fields=id`)) as { id: string }[]
  const ids = rows.map(({ id }) => id).join(' ')
  const orderBy = sort.split(',').map((key) => {
    const names = key.replace('-', '').replace('_count', 'count').split('.')
    return names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), key.startsWith('-') ? 'DESC' : 'ASC')
  })
  const query = `query ($o: [${type}Order!], $n: Int!, $after: String) { page: ${list}Connection(orderBy: $o, first: $n, after: $after) {
    edges { node { id } } pageInfo { hasNextPage endCursor } } }`
  for (const size of [1, 2, 4]) {
    const seen: string[] = []
    for (let after: string | null = null; ; ) {
      const asGraphql: Page = (await graphqlData(client, query, { o: orderBy, n: size, after })).page as Page
      const cursor: string = after === null ? '' : `&after=${after}`
      const asRest = (await restBody(client, 'GET', `/${path}?sort=${sort}&fields=id&first=${size}${cursor}`)) as Page
      assert.deepEqual(
        asRest.edges.map(({ node }) => node),
        asGraphql.edges.map(({ node }) => node),
      )
      seen.push(...asGraphql.edges.map(({ node }) => node.id))
      if (!asGraphql.pageInfo.hasNextPage) break
      after = asGraphql.pageInfo.endCursor
    }
    assert.equal(seen.join(' '), ids, `${sort} by ${size}`)
  }
  return ids
}

const notes = (sort: string, client: ApiClient = apis) => inOrder(client, 'notes', 'notes', 'Note', sort)
const users = (sort: string, client: ApiClient = apis) => inOrder(client, 'users', 'users', 'User', sort)

test('fields of referred rows: nulls are last in both directions, ties by id', async () => {
  assert.equal(await notes('author.name'), 'n2 n3 n6 n1 n4')
  assert.equal(await notes('-author.name'), 'n1 n6 n3 n2 n4')
  assert.equal(await notes('author.rank,-text'), 'n2 n1 n6 n4 n3')
  assert.equal(await notes('author.boss.name'), 'n3 n6 n1 n2 n4')
  assert.equal(await notes('-author.boss.name,author.rank'), 'n1 n3 n6 n2 n4')
  assert.equal(await notes('author.id'), 'n2 n3 n6 n1 n4')
})

test('numbers of rows in lists, also behind a reference', async () => {
  assert.equal(await users('-staff._count,name'), 'ann bob cat')
  assert.equal(await users('boss.staff._count'), 'bob cat ann')
  assert.equal(await notes('-tags._count'), 'n2 n6 n4 n1 n3')
  assert.equal(await inOrder(apis, 'tags', 'tags', 'Tag', '-notes._count'), 't2 t1')
})

test('an unreadable row or field is null, and only readable rows count', async () => {
  assert.equal(await users('-notes._count,name'), 'bob ann cat', 'n5 is hidden')
  assert.equal(await users('-notes._count,name', ann), 'ann bob cat')
  assert.equal(await inOrder(apis, 'replies', 'replies', 'Reply', 'note.text'), 'r2 r1 r3')
  assert.equal(await inOrder(ann, 'replies', 'replies', 'Reply', '-note.text'), 'r1 r2 r3')
  const { status } = await apis.rest('GET', '/notes?sort=author.secret')
  assert.equal(status, 400, 'anonymous viewers can read it nowhere')
  assert.equal(await notes('-author.secret', ann), 'n5 n2 n6 n4 n3 n1')
})

test('behind a reference to one of several types', async () => {
  assert.equal(await inOrder(apis, 'replies', 'replies', 'Reply', 'on.word'), 'r2 r1 r3')
  assert.equal(await inOrder(apis, 'replies', 'replies', 'Reply', '-on.word,word'), 'r1 r2 r3')
})

test('in nested lists of both APIs', async () => {
  const { users: rows } = (await graphqlData(
    apis,
    '{ users { id staff(orderBy: [{notes: {count: DESC}}]) { id } notes(orderBy: [{tags: {count: ASC}}, {author: {name: DESC}}]) { id } } }',
  )) as { users: { id: string; notes: { id: string }[] }[] }
  assert.deepEqual(rows[1]!.notes.map(({ id }) => id).join(' '), 'n3 n6')
  const linked = (await restBody(apis, 'GET', '/tags/t2/notes?sort=-author.name&fields=id')) as { id: string }[]
  assert.deepEqual(linked.map(({ id }) => id).join(' '), 'n6 n2 n4')
  const page = (await restBody(apis, 'GET', '/tags/t2/notes?sort=-author.name&fields=id&first=2')) as Page
  const next = `/tags/t2/notes?sort=-author.name&fields=id&first=2&after=${page.pageInfo.endCursor}`
  assert.deepEqual(
    ((await restBody(apis, 'GET', next)) as Page).edges.map(({ node }) => node.id),
    ['n4'],
  )
})

test('mistakes name the step, and a field that is never readable is unknown', async () => {
  for (const [sort, message] of [
    ['author.nam', '"nam" is not a field of User. Did you mean "name"?'],
    ['author.hidden', '"hidden" is not a field of User.'],
    ['author', '"author" is not sortable. Sort by a field of it, such as author.name.'],
    [
      'tags.word',
      '"tags.word" leads into a list: sort by the number of its rows. Write tags._count, or {tags: {count: …}} in GraphQL.',
    ],
    ['author.name,author.name', '"author.name" is named twice in the order.'],
    [
      `${'author.boss.'.repeat(1)}${'boss.'.repeat(30)}name`,
      'The order leads to more than 20 other tables; each step counts for each type that it may lead to.',
    ],
  ] as const) {
    const { status, body } = await apis.rest('GET', `/notes?sort=${sort}`)
    const { errors } = body as { errors: { path: string; code: string; message: string }[] }
    assert.deepEqual([status, errors.map((one) => [one.path, one.message])], [400, [['sort', message]]], sort)
  }
  for (const orderBy of [
    '{author: {hidden: ASC}}',
    '{author: {}}',
    '{author: {name: ASC, rank: ASC}}',
    '{tags: {word: ASC}}',
    '{author: ASC}',
    '{tags: {count: null}}',
  ]) {
    const { errors } = await apis.graphql(`{ notes(orderBy: [${orderBy}]) { id } }`)
    assert.ok(errors.length > 0, orderBy)
  }
})

test('a cursor of another order is refused, and a forged one reveals nothing', async () => {
  const { pageInfo } = (await restBody(apis, 'GET', '/notes?sort=author.name&first=1')) as Page
  for (const sort of ['author.id', '-author.name', 'author.boss.name']) {
    const { status } = await apis.rest('GET', `/notes?sort=${sort}&first=1&after=${pageInfo.endCursor}`)
    assert.equal(status, 400, sort)
  }
  const keys = JSON.parse(Buffer.from(pageInfo.endCursor!.split('.')[0]!, 'base64url').toString()) as unknown[]
  assert.deepEqual(keys, ['Ann', 'n2'])
  const hidden = (await restBody(apis, 'GET', '/replies?sort=note.text&first=2')) as Page
  const last = JSON.parse(Buffer.from(hidden.pageInfo.endCursor!.split('.')[0]!, 'base64url').toString()) as unknown[]
  assert.deepEqual(last, [null, 'r1'], 'the text of the hidden note is in no cursor')
})

test('each step and each count costs as much as an object', async () => {
  const limited = await openApis(sdl, { cost: 1 })
  const costOf = async (path: string) => /costs (\d+)/.exec(JSON.stringify((await limited.rest('GET', path)).body))?.[1]
  const plain = Number(await costOf('/notes?fields=id&sort=text'))
  assert.equal(await costOf('/notes?fields=id&sort=author.boss.name'), String(plain + 4))
  assert.equal(await costOf('/notes?fields=id&sort=author.notes._count'), String(plain + 4))
  await limited.close()
})
