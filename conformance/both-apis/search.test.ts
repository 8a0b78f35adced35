// Word search through both APIs (docs/reference/rest.md, R110–R114): what is found, what is refused, and who finds what.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { anonymous, system, type Viewer } from '../../packages/twain/src/base/http/index.ts'
import { type ApiClient, openApis, type TestApis } from '../harness/open-apis.ts'

const schema = (search: string) => `
  type User @account(login: "name") @allow { id: ID! name: String! @unique notes: [Note!]! }
  interface Titled { id: ID! title: String! }
  type Note implements Titled @allow { id: ID! title: String! @search body: String @search about: User
    diary: String @search @allow(who: "about", to: [READ]) }
  type Page implements Titled @allow { id: ID! title: String! @search }
  type Plain implements Titled @allow { id: ID! title: String! }
  type Vault @allow { id: ID! secret: String ${search} @allow(role: "auditor", to: [READ]) }`

const ann: Viewer = { account: 'ann', roles: [], authenticated: true, token: 't' }
const auditor: Viewer = { ...ann, account: 'aud', roles: ['auditor'] }

let apis: TestApis
let without: TestApis
before(async () => {
  apis = await openApis(schema('@search'))
  without = await openApis(schema(''))
  const rows: [path: string, body: object][] = [
    ['/users/ann', { name: 'ann' }],
    ['/notes/a', { title: 'Crème brûlée', body: 'How to burn sugar', about: 'ann', diary: 'eaten alone' }],
    ['/notes/b', { title: 'Sugar', body: 'is sweet: crème', diary: 'eaten together' }],
    ['/pages/c', { title: 'Sugar cane' }],
    ['/plains/d', { title: 'Sugar, plain' }],
    ['/vaults/e', { secret: 'sugar' }],
  ]
  for (const [path, body] of rows) {
    const { status } = await apis.as(system).rest('PUT', path, body)
    assert.equal(status, 201, path)
  }
})
after(async () => {
  await apis.close()
  await without.close()
})

const ids = (rows: unknown) => (rows as { id: string }[]).map(({ id }) => id).join('')

async function find(path: string, list: string, search: string, client: ApiClient = apis): Promise<string> {
  const rest = await client.rest('GET', `/${path}?fields=id&search=${encodeURIComponent(search)}`)
  assert.equal(rest.status, 200, JSON.stringify(rest.body))
  const graphql = await client.graphql(`query ($search: String) { rows: ${list}(search: $search) { id } }`, { search })
  assert.deepEqual(graphql.errors, [])
  assert.deepEqual(graphql.data!.rows, rest.body, search)
  return ids(rest.body)
}

test('R110: a search finds rows with all words, the last as a prefix, in any field', async () => {
  assert.equal(await find('notes', 'notes', 'sugar creme'), 'ab')
  assert.equal(await find('notes', 'notes', 'CRÈME sug'), 'ab')
  assert.equal(await find('notes', 'notes', 'sug creme'), '')
  assert.equal(await find('notes', 'notes', 'burn'), 'a')
  assert.equal(await find('notes', 'notes', ''), 'ab')
  assert.equal(await find('notes', 'notes', '…'), 'ab')
})

test('R110: a search combines with filters, order, totals and cursors, and works in nested lists', async () => {
  const page = await apis.rest('GET', '/notes?search=sugar&sort=-title&first=1&fields=id')
  const { edges, pageInfo } = page.body as { edges: { node: { id: string } }[]; pageInfo: { endCursor: string } }
  assert.equal(edges[0]?.node.id, 'b')
  const next = await apis.graphql(
    `query ($after: String) { notesConnection(search: "sugar", orderBy: {title: DESC}, first: 1, after: $after) {
      totalCount edges { node { id } } pageInfo { hasNextPage } } }`,
    { after: pageInfo.endCursor },
  )
  assert.deepEqual(next.data!.notesConnection, {
    totalCount: 2,
    edges: [{ node: { id: 'a' } }],
    pageInfo: { hasNextPage: false },
  })
  const counted = await apis.rest('GET', '/notes?search=sugar&title=Sugar', undefined, { prefer: 'count=exact' })
  assert.equal(counted.headers['x-total-count'], '1')
  assert.equal(ids((await apis.rest('GET', '/users/ann/notes?search=sugar')).body), 'a')
  const nested = await apis.graphql(
    '{ user(id: "ann") { notes(search: "sugar") { id } none: notes(search: "x") { id } } }',
  )
  assert.deepEqual(nested.data!.user, { notes: [{ id: 'a' }], none: [] })
})

test('R110: the search text is kept in the link to the next page', async () => {
  const { headers } = await apis.rest('GET', '/notes?search=sugar&limit=1')
  assert.match(String(headers.link), /search=sugar/)
})

test('R111: no character of a search is syntax', async () => {
  const texts = [
    '"',
    "'",
    '"" OR ""',
    'title : sugar',
    '{w1} : sugar',
    '^sugar',
    'sugar*',
    '-sugar',
    'NEAR(sugar cane)',
  ]
  texts.push(
    "sugar'",
    'sugar:*',
    '!sugar',
    'sugar & | cane',
    '\\sugar',
    'sugar\0',
    '\ud800sugar',
    '(((',
    '<->',
    '*',
    ':',
  )
  for (const search of texts) {
    for (const answer of [
      await apis.rest('GET', `/notes?search=${encodeURIComponent(search.toWellFormed())}`),
      await apis.graphql('query ($s: String) { notes(search: $s) { id } }', { s: search }),
    ]) {
      assert.ok(answer.status < 500, `${search}: ${answer.status}`)
    }
  }
  assert.equal(await find('notes', 'notes', '"sugar" OR *'), '')
  assert.equal(await find('notes', 'notes', '-"SUGAR"*'), 'ab')
})

test('R112: a search that is too long or has too many words is a 400 with its place, on both APIs', async () => {
  const many = Array.from({ length: 30 }, (_, index) => `w${index}`).join(' ')
  for (const [search, code] of [
    ['x'.repeat(501), 'LENGTH'],
    [many, 'RANGE'],
  ] as const) {
    const rest = await apis.rest('GET', `/notes?search=${encodeURIComponent(search)}`)
    assert.equal(rest.status, 400)
    const { errors: mistakes } = rest.body as { errors: { path: string; code: string }[] }
    assert.deepEqual([mistakes[0]?.path, mistakes[0]?.code], ['search', code])
    const { errors } = await apis.graphql('query ($s: String) { notes(search: $s) { id } }', { s: search })
    const [problem] = errors[0]!.extensions!.errors!
    assert.deepEqual([problem?.path, problem?.code], ['notes.search', code])
  }
  const words = `{ notes(search: ${JSON.stringify('word '.repeat(10_000))}) { id } }`
  assert.equal((await apis.graphql(words)).errors[0]?.extensions?.code, 'VALIDATION_FAILED')
})

test('R113: a search of an interface uses the fields of the type of each row', async () => {
  assert.equal(await find('titleds', 'titleds', 'sugar'), 'abc')
  assert.equal(await find('titleds', 'titleds', 'burn'), 'a')
})

test('R114: a field that the viewer can read on some rows finds only these', async () => {
  assert.equal(await find('notes', 'notes', 'eaten', apis.as(ann)), 'a')
  assert.equal(await find('notes', 'notes', 'sugar eaten', apis.as(ann)), 'a')
  assert.equal(await find('notes', 'notes', 'together', apis.as(ann)), '')
  assert.equal(await find('notes', 'notes', 'eaten', apis.as(anonymous)), '')
  assert.equal(await find('titleds', 'titleds', 'eaten', apis.as(ann)), 'a')
})

test('R114: for a viewer who can read no searched field, the answer is the same to the byte as without search', async () => {
  const documents = ['{ vaults(search: "sugar") { id } }', '{ vaultsConnection(search: "") { totalCount } }']
  const variable = 'query ($s: String) { vaults(search: $s) { id } }'
  for (const viewer of [anonymous, ann]) {
    const [one, other] = [apis.as(viewer), without.as(viewer)]
    for (const path of ['/vaults?search=sugar', '/vaults?search=', '/vaults?search=nothing&limit=1']) {
      const answer = await other.rest('GET', path)
      assert.equal(answer.status, 400)
      assert.deepEqual(await one.rest('GET', path), answer)
    }
    for (const document of documents) assert.deepEqual(await one.graphql(document), await other.graphql(document))
    assert.deepEqual(await one.graphql(variable, { s: 'x' }), await other.graphql(variable, { s: 'x' }))
  }
  assert.equal(await find('vaults', 'vaults', 'sugar', apis.as(auditor)), 'e')
})

test('R23: search is an unknown parameter where no field has @search', async () => {
  const { status, body } = await apis.rest('GET', '/plains?search=x')
  assert.equal(status, 400)
  assert.match(JSON.stringify(body), /No field of Plain can be searched/)
  assert.match((await apis.graphql('{ plains(search: "x") { id } }')).errors[0]!.message, /Unknown argument "search"/)
})
