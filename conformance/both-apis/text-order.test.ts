// The order of texts, without case and accents first: sorts, cursors, ranges, min and max, groups, references, interfaces, values inside
// JSON, rules, and fields with @collation(name: BINARY).
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { system, type Viewer } from '../../packages/twain/src/base/http/index.ts'
import { type ApiClient, graphqlData, openApis, restBody, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  interface Named { id: ID! name: String }
  type Person implements Named @account(login: "login") @allow(to: [READ, CREATE, UPDATE]) {
    id: ID! login: String! @unique
    name: String @index
    plain: String
    code: String @index @collation(name: BINARY)
    home: Home
    data: JSON
    secret: String @allow(who: "self")
    pets: [Pet!]!
  }
  type Home { city: String code: String @collation(name: BINARY) }
  type Pet implements Named @allow { id: ID! name: String owner: Person @index(with: ["name"]) }
  type Early @allow(to: [READ, CREATE], where: {word: {lt: "M"}}) { id: ID! word: String! }
  type Word @view(sqlite: "SELECT word, word AS code FROM Early WHERE id >= 'e'", postgres: "SELECT word, word AS code FROM \\"Early\\" WHERE id >= 'e'", key: ["word"]) @allow(to: [READ]) {
    word: String! code: String! @collation(name: BINARY)
  }
`

const names = ['Ångström', 'anna', 'Bob', 'bob', 'Çağla', 'Émile', 'Zoë']
const ids = ['6', '3', '1', '7', '2', '5', '4']
const byCode = ['Bob', 'Zoë', 'anna', 'bob', 'Ångström', 'Çağla', 'Émile']

let apis: TestApis
let admin: ApiClient
before(async () => {
  apis = await openApis(sdl)
  admin = apis.as(system)
  for (const [index, name] of names.entries()) {
    const row = { name, plain: name, code: name, home: { city: name, code: name }, data: { name }, secret: name }
    await put(`/people/${ids[index]}`, { login: `u${index}`, password: 'long enough', ...row })
    await put(`/pets/p${ids[index]}`, { name: names.at(-1 - index), owner: ids[index] })
    await put(`/earlies/e${ids[index]}`, { word: name })
  }
  await put('/people/0', { login: 'none', password: 'long enough' })
  await put('/people/8', { login: 'same', password: 'long enough', name: 'Bob', plain: 'Bob', code: 'Bob' })
})
after(() => apis.close())

const put = (path: string, row: object) => restBody(admin, 'PUT', path, row)

/** Sorted rows by offset and by pages of two rows, through both APIs: all four must agree. */
async function sorted(path: string, list: string, type: string, sort: string, client = admin): Promise<string> {
  const rows = (await restBody(client, 'GET', `/${path}?sort=${sort}&fields=id&limit=50`)) as { id: string }[]
  const found = rows.map(({ id }) => id)
  const orderBy = sort.split(',').map((key) => {
    const way = key.replace('-', '').split('.')
    return way.reduceRight<unknown>((inner, name) => ({ [name]: inner }), key.startsWith('-') ? 'DESC' : 'ASC')
  })
  const query = `query ($orderBy: [${type}Order!]) { ${list}(limit: 50, orderBy: $orderBy) { id } }`
  const data = (await graphqlData(client, query, { orderBy })) as Record<string, { id: string }[]>
  assert.deepEqual(
    data[list]!.map(({ id }) => id),
    found,
  )
  const paged: string[] = []
  for (let after = ''; ; ) {
    const address = `/${path}?sort=${sort}&fields=id&first=2${after}`
    const page = (await restBody(client, 'GET', address)) as {
      edges: { node: { id: string } }[]
      pageInfo: { hasNextPage: boolean; endCursor: string }
    }
    paged.push(...page.edges.map(({ node }) => node.id))
    if (!page.pageInfo.hasNextPage) break
    after = `&after=${page.pageInfo.endCursor}`
  }
  assert.deepEqual(paged, found)
  return found.join('')
}

const people = (sort: string, client = admin) => sorted('people', 'people', 'Person', sort, client)

test('texts are sorted by their folded form, then by themselves, then by the id; nulls are last', async () => {
  for (const field of ['name', 'plain']) {
    assert.equal(await people(field), '631872540', field)
    assert.equal(await people(`-${field}`), '452781360', field)
  }
  assert.equal(await people('name,-code'), '638172540')
})

test('a field with @collation(name: BINARY) is sorted by code point', async () => {
  assert.equal(await people('code'), '184376250')
  assert.equal(await people('-code'), '526734810')
})

test('a key that a rule hides on some rows sorts as null there', async () => {
  const viewer: Viewer = { account: '2', roles: [], authenticated: true, token: null }
  assert.equal(await people('secret', apis.as(viewer)), '201345678')
})

test('a sort through a reference and over an interface has the same order', async () => {
  assert.equal(await sorted('pets', 'pets', 'Pet', 'owner.name'), 'p6p3p1p7p2p5p4')
  assert.equal(await sorted('pets', 'pets', 'Pet', '-owner.name'), 'p4p5p2p7p1p3p6')
  assert.equal(await sorted('pets', 'pets', 'Pet', 'name'), 'p4p5p2p7p1p3p6')
  assert.equal(await sorted('nameds', 'nameds', 'Named', 'name'), '6p43p518p27p72p15p34p60')
  assert.equal(await sorted('people/3/pets', 'pets', 'Pet', 'name', only('3')), 'p3')
})

/** The pets of a person, in GraphQL too. */
function only(owner: string): ApiClient {
  return {
    ...admin,
    graphql: (query, variables) =>
      admin.graphql(query.replace('limit: 50', `limit: 50, where: {owner: {id: {eq: "${owner}"}}}`), variables),
  }
}

async function found(where: object): Promise<string> {
  const rows = (await restBody(
    admin,
    'GET',
    `/people?sort=id&fields=id&where=${encodeURIComponent(JSON.stringify(where))}`,
  )) as { id: string }[]
  const query = 'query ($where: PersonWhere) { people(orderBy: [{id: ASC}], where: $where) { id } }'
  const data = (await graphqlData(admin, query, { where })) as { people: { id: string }[] }
  assert.deepEqual(data.people, rows)
  return rows.map(({ id }) => id).join('')
}

test('lt, lte, gt, gte and between compare in the order of sorts; eq and in stay exact', async () => {
  const same: [object, string][] = [
    [{ lt: 'Bob' }, '36'],
    [{ lte: 'Bob' }, '1368'],
    [{ gt: 'Bob' }, '2457'],
    [{ gte: 'bob' }, '2457'],
    [{ gt: 'BOB' }, '124578'],
    [{ gte: 'cagla', lt: 'F' }, '25'],
    [{ between: ['A', 'Bz'] }, '13678'],
    [{ eq: 'bob' }, '7'],
    [{ in: ['bob', 'Zoë', 'x'] }, '47'],
    [{ notIn: ['bob', 'Zoë'] }, '0123568'],
    [{ ne: 'Bob' }, '0234567'],
    [{ startsWith: 'B' }, '18'],
  ]
  for (const [condition, expected] of same) {
    for (const field of ['name', 'plain']) assert.equal(await found({ [field]: condition }), expected, field)
  }
  assert.equal(await found({ not: { name: { lte: 'Bob' } } }), '02457')
  assert.equal(await found({ code: { lt: 'a' } }), '148')
  assert.equal(await found({ home: { city: { gte: 'cagla', lt: 'F' } } }), '25')
  assert.equal(await found({ home: { code: { gt: 'c' } } }), '256')
  assert.equal(await found({ pets: { some: { name: { lt: 'anz' } } } }), '45')
})

test('texts inside JSON are compared in the same order', async () => {
  const body = await restBody(admin, 'GET', '/people?data.name[gte]=cagla&data.name[lt]=F&sort=id&fields=id')
  assert.deepEqual(body, [{ id: '2' }, { id: '5' }])
})

test('a range and a sort by the same field go together, with cursors', async () => {
  const walk = async (query: string) => {
    const seen: string[] = []
    for (let after = ''; ; ) {
      const page = (await restBody(admin, 'GET', `/people?${query}&fields=id&first=1${after}`)) as {
        edges: { node: { id: string } }[]
        pageInfo: { hasNextPage: boolean; endCursor: string }
      }
      seen.push(...page.edges.map(({ node }) => node.id))
      if (!page.pageInfo.hasNextPage) return seen.join('')
      after = `&after=${page.pageInfo.endCursor}`
    }
  }
  for (const field of ['name', 'plain']) {
    assert.equal(await walk(`${field}[gte]=Bob&${field}[lt]=f&sort=${field}`), '18725')
    assert.equal(await walk(`${field}[gte]=Bob&${field}[lt]=f&sort=-${field}`), '52781')
    assert.equal(await walk(`${field}=Bob&sort=${field}`), '18')
    assert.equal(await walk(`${field}[in]=Bob,bob&sort=-${field}`), '781')
  }
})

test('min and max are the first and the last text; groups are sorted like rows', async () => {
  const fields = '_min.name,_max.name,_min.code,_max.code'
  const body = await restBody(admin, 'GET', `/people?groupBy=&fields=${fields}`)
  assert.deepEqual(body, { min: { name: 'Ångström', code: 'Bob' }, max: { name: 'Zoë', code: 'Émile' } })
  const one = '{ peopleAggregate { min { name code } max { name code } } }'
  assert.deepEqual(await graphqlData(admin, one), { peopleAggregate: body })
  const key = (await restBody(admin, 'GET', '/people?groupBy=name&fields=name,_count')) as { key: { name: string } }[]
  assert.deepEqual(
    key.map((group) => group.key.name),
    [...names, null],
  )
  const codes = (await restBody(admin, 'GET', '/people?groupBy=code&fields=code&sort=-code')) as {
    key: { code: string }
  }[]
  assert.deepEqual(
    codes.map((group) => group.key.code),
    [...byCode.toReversed(), null],
  )
  const having = `{ peopleGroupBy(by: [{code: VALUE}], having: {min: {name: {gte: "cagla"}}}, orderBy: [{max: {name: DESC}}]) {
    key { code } } }`
  assert.deepEqual(await graphqlData(admin, having), {
    peopleGroupBy: ['Zoë', 'Émile', 'Çağla'].map((code) => ({ key: { code } })),
  })
  const owners = (await restBody(admin, 'GET', '/pets?groupBy=owner.name&fields=owner.name')) as {
    key: { owner: { name: string } }
  }[]
  assert.deepEqual(
    owners.map((group) => group.key.owner.name),
    names,
  )
})

test('distinct rows are the first ones in this order', async () => {
  const rows = (await restBody(admin, 'GET', '/people?distinct=name&sort=name&fields=id')) as { id: string }[]
  assert.equal(rows.map(({ id }) => id).join(''), '63172540')
})

test('rules compare in this order: in lists, and before a write', async () => {
  const viewer = apis.as({ account: null, roles: [], authenticated: false, token: null })
  const rows = (await restBody(viewer, 'GET', '/earlies?sort=word')) as { word: string }[]
  assert.deepEqual(
    rows.map(({ word }) => word),
    names.slice(0, 6),
  )
  const created = await viewer.rest('POST', '/earlies', { word: 'Édith' })
  assert.equal(created.status, 201)
  const refused = await viewer.rest('POST', '/earlies', { word: 'Øre' })
  assert.notEqual(refused.status, 201)
})

test('a change of a text moves its row', async () => {
  await restBody(admin, 'PATCH', '/people/4', { name: 'Åse' })
  assert.equal(await people('name'), '634187250')
  await restBody(admin, 'PATCH', '/people/4', { name: null })
  assert.equal(await people('name'), '631872504')
  await restBody(admin, 'PATCH', '/people/4', { name: 'Zoë' })
})

test('a cursor of another order of texts is refused', async () => {
  const page = (await restBody(admin, 'GET', '/people?sort=name&first=2')) as { pageInfo: { endCursor: string } }
  const answer = await admin.rest('GET', `/people?sort=code&first=2&after=${page.pageInfo.endCursor}`)
  assert.equal(answer.status, 400)
})

test('texts of a view have the same order', async () => {
  const words = async (query: string) =>
    ((await restBody(admin, 'GET', `/words?fields=word&${query}`)) as { word: string }[]).map(({ word }) => word)
  const early = names.filter((word) => word !== 'Zoë')
  assert.deepEqual(await words('sort=word'), names)
  assert.deepEqual(await words('sort=-code'), byCode.toReversed())
  assert.deepEqual(await words('word[lt]=M&sort=word'), early)
  const query = '{ words(where: {word: {lt: "M"}}, orderBy: [{word: ASC}]) { word } }'
  assert.deepEqual(await graphqlData(admin, query), { words: early.map((word) => ({ word })) })
})
