// Unions and interfaces: the fields of single types, filters by type, and references that are written back as they were read.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openApis, type TestApis } from '../harness/open-apis.ts'

const sdl = `
interface Titled { id: ID! title: String! composer: Composer }
type Composer { id: ID! name: String! works: [Score!]! @relation(inverse: "composer") signature: Item }
type Score implements Titled { id: ID! title: String! composer: Composer pages: Int parts: [Part!]! }
type Recording implements Titled { id: ID! title: String! composer: Composer seconds: Int! tracks: [Track!]! format: Format }
type Track { size: Int! }
type Part { id: ID! instrument: String! score: Score! }
type Chair { id: ID! legs: Int! type: String }
enum Format { LP CD }
union Item = Score | Recording | Chair
type Musician { id: ID! name: String! favourite: Item first: Titled shelf: [Item!]! mark: Item @immutable }
`

const rows: [path: string, row: object][] = [
  ['composers/bach', { name: 'Bach' }],
  ['scores/s1', { title: 'Fugue', composer: 'bach', pages: 12 }],
  ['scores/dup', { title: 'Mass', pages: null }],
  ['parts/p1', { instrument: 'VIOLA', score: 's1' }],
  ['recordings/r1', { title: 'Fugue', composer: 'bach', seconds: 240, tracks: [{ size: 1 }], format: 'LP' }],
  ['recordings/dup', { title: 'Song', seconds: 90, tracks: [] }],
  ['chairs/c1', { legs: 3, type: 'stool' }],
  ['musicians/ann', { name: 'Ann', favourite: 's1', first: 'r1', shelf: ['s1', 'Recording:dup'] }],
  ['musicians/bob', { name: 'Bob', favourite: 'Recording:dup', first: 'Score:dup', shelf: ['c1'] }],
  ['musicians/cat', { name: 'Cat', favourite: 'c1', shelf: [], mark: 'Score:dup' }],
  ['musicians/dan', { name: 'Dan', shelf: ['r1', 'Score:dup', 'c1'] }],
  ['composers/bach', { name: 'Bach', signature: 'Score:s1' }],
]

/** A path, its document, and what both answer; the names of musicians for filters. */
const reads: [path: string, document: string, expected?: unknown][] = [
  // ------------------------------------------------------------ fields of one reference
  [
    '/musicians/ann?fields=favourite:Score.title,favourite:Recording.seconds',
    '{ musician(id: "ann") { favourite { ... on Score { title } ... on Recording { seconds } } } }',
    { favourite: { title: 'Fugue' } },
  ],
  [
    '/musicians/cat?fields=name,favourite._type,favourite:Score.title',
    '{ musician(id: "cat") { name favourite { _type: __typename ... on Score { title } } } }',
    { name: 'Cat', favourite: { _type: 'Chair' } },
  ],
  [
    '/musicians?fields=first.title,first.type,first:Recording.tracks.size,first:Score.parts.instrument,first.composer.name',
    `{ musicians { first { title type: __typename ... on Recording { tracks { size } } ... on Score { parts { instrument } }
       composer { name } } } }`,
  ],
  [
    '/musicians/bob?fields=first.composer.name,first:Score.composer.id,first:Score._version',
    '{ musician(id: "bob") { first { composer { name } ... on Score { composer { id } _version } } } }',
  ],
  // a condition on the type itself, and on an interface that a member implements
  [
    '/composers?fields=works:Score.pages,works:Titled.title',
    '{ composers { works { ... on Score { pages } ... on Titled { title } } } }',
    [{ works: [{ pages: 12, title: 'Fugue' }] }],
  ],
  [
    '/musicians/ann?fields=favourite:Titled.title,favourite:Titled.type',
    '{ musician(id: "ann") { favourite { ... on Titled { title type: __typename } } } }',
    { favourite: { title: 'Fugue', type: 'Score' } },
  ],
  // ------------------------------------------------------------ lists, roots, any depth
  [
    '/musicians/dan?fields=shelf:Chair.legs,shelf:Recording.title,shelf._type',
    '{ musician(id: "dan") { shelf { ... on Chair { legs } ... on Recording { title } _type: __typename } } }',
    { shelf: [{ legs: 3, _type: 'Chair' }, { _type: 'Score' }, { title: 'Fugue', _type: 'Recording' }] },
  ],
  [
    '/items?fields=id,:Score.pages,:Chair.type,:Recording.composer.signature:Score.parts.instrument',
    `{ items { ... on Score { id pages } ... on Chair { id type }
       ... on Recording { id composer { signature { ... on Score { parts { instrument } } } } } } }`,
  ],
  [
    '/titleds?first=2&fields=title,:Recording.seconds',
    `{ titledsConnection(first: 2) { edges { node { title ... on Recording { seconds } } cursor } pageInfo { hasNextPage endCursor } } }`,
  ],
  [
    '/composers/bach?fields=works.title,signature:Score.composer.signature:Score.pages',
    '{ composer(id: "bach") { works { title } signature { ... on Score { composer { signature { ... on Score { pages } } } } } } }',
    { works: [{ title: 'Fugue' }], signature: { composer: { signature: { pages: 12 } } } },
  ],
  // ------------------------------------------------------------ filters by type
  ['/musicians?favourite._type=Score&fields=name', where('{favourite: {_type: {eq: Score}}}'), named('Ann')],
  ['/musicians?first.type=Score&fields=name', where('{first: {_type: {eq: Score}}}'), named('Bob')],
  ['/musicians?favourite._type[ne]=Score&fields=name', where('{favourite: {_type: {ne: Score}}}'), named('Bob', 'Cat')],
  [
    '/musicians?favourite._type[in]=Chair,Score&fields=name',
    where('{favourite: {_type: {in: [Score, Chair]}}}'),
    named('Ann', 'Cat'),
  ],
  [
    '/musicians?favourite._type[notIn]=Chair,Score&fields=name',
    where('{favourite: {_type: {notIn: [Chair, Score]}}}'),
    named('Bob'),
  ],
  [
    '/musicians?shelf._type=Recording&fields=name',
    where('{shelf: {some: {_type: {eq: Recording}}}}'),
    named('Ann', 'Dan'),
  ],
  [
    '/titleds?type=Recording&fields=title',
    '{ titleds(where: {_type: {eq: Recording}}) { title } }',
    titled('Song', 'Fugue'),
  ],
  [
    '/titleds?_type[ne]=Recording&fields=title',
    '{ titleds(where: {_type: {ne: Recording}}) { title } }',
    titled('Mass', 'Fugue'),
  ],
  ['/musicians?where={"favourite":{"Score":{}}}&fields=name', where('{favourite: {Score: {}}}'), named('Ann')],
  // ------------------------------------------------------------ filters by the fields of a type
  [
    '/musicians?favourite:Score.title[contains]=ug&fields=name',
    where('{favourite: {Score: {title: {contains: "ug"}}}}'),
    named('Ann'),
  ],
  [
    '/musicians?favourite:Recording.seconds[lt]=100&fields=name',
    where('{favourite: {Recording: {seconds: {lt: 100}}}}'),
    named('Bob'),
  ],
  [
    '/musicians?favourite:Chair.type=stool&fields=name',
    where('{favourite: {Chair: {type: {eq: "stool"}}}}'),
    named('Cat'),
  ],
  [
    '/musicians?favourite:Recording=dup&fields=name',
    where('{favourite: {Recording: {id: {eq: "dup"}}}}'),
    named('Bob'),
  ],
  [
    '/musicians?shelf:Score.pages[isNull]=true&fields=name',
    where('{shelf: {some: {Score: {pages: {isNull: true}}}}}'),
    named('Dan'),
  ],
  [
    '/musicians?first:Recording.composer.name=Bach&fields=name',
    where('{first: {Recording: {composer: {name: {eq: "Bach"}}}}}'),
    named('Ann'),
  ],
  [
    '/musicians?first:Recording.composer.signature:Score.parts.instrument=VIOLA&fields=name',
    where('{first: {Recording: {composer: {signature: {Score: {parts: {some: {instrument: {eq: "VIOLA"}}}}}}}}}'),
    named('Ann'),
  ],
  [
    `/musicians?where=${encodeURIComponent('{"favourite":{"not":{"Score":{"pages":{"gt":5}}}}}')}&fields=name`,
    where('{favourite: {not: {Score: {pages: {gt: 5}}}}}'),
    named('Bob', 'Cat'),
  ],
  [
    `/musicians?where=${encodeURIComponent('{"not":{"favourite":{"or":[{"Score":{"title":{"eq":"Fugue"}}},{"Chair":{"legs":{"gte":3}}}]}}}')}&fields=name`,
    where('{not: {favourite: {or: [{Score: {title: {eq: "Fugue"}}}, {Chair: {legs: {gte: 3}}}]}}}'),
    named('Bob', 'Dan'),
  ],
  [
    `/musicians?where=${encodeURIComponent('{"shelf":{"none":{"Recording":{"format":{"in":["LP"]}}}}}')}&fields=name`,
    where('{shelf: {none: {Recording: {format: {in: [LP]}}}}}'),
    named('Ann', 'Bob', 'Cat'),
  ],
  [
    '/titleds?:Score.pages[gt]=3&fields=title',
    '{ titleds(where: {Score: {pages: {gt: 3}}}) { title } }',
    titled('Fugue'),
  ],
  [
    '/titleds?title=Fugue&:Recording.seconds[gt]=3&fields=title',
    '{ titleds(where: {and: [{title: {eq: "Fugue"}}, {Recording: {seconds: {gt: 3}}}]}) { title } }',
    titled('Fugue'),
  ],
]

function where(filter: string): string {
  return `{ musicians(where: ${filter}) { name } }`
}

function named(...names: string[]): unknown {
  return names.map((name) => ({ name }))
}

function titled(...titles: string[]): unknown {
  return titles.map((title) => ({ title }))
}

describe('unions and interfaces', () => {
  let apis: TestApis
  before(async () => {
    apis = await openApis(sdl)
    for (const [path, row] of rows) {
      const answer = await apis.rest('PUT', `/${path}`, row)
      assert.ok(answer.status < 300, JSON.stringify(answer.body))
    }
  })
  after(() => apis.close())

  for (const [path, document, expected] of reads) {
    test(`${path} is ${document}`, async () => {
      apis.executed.length = 0
      const rest = await apis.rest('GET', path)
      const [left] = apis.executed.splice(0)
      const { data, errors } = await apis.graphql(document)
      const [right] = apis.executed.splice(0)
      assert.deepEqual(errors, [])
      assert.equal(rest.status, 200, JSON.stringify(rest.body))
      assert.deepEqual(left!.plan, right!.plan)
      assert.deepEqual(left!.values, right!.values)
      assert.deepEqual(rest.body, Object.values(data!)[0])
      if (expected !== undefined) assert.deepEqual(rest.body, expected)
    })
  }

  test('names of types in variables choose the plan, values do not', async () => {
    const document = 'query ($w: MusicianWhere) { musicians(where: $w) { name } }'
    const types = 'query ($t: [ItemTypename!]) { musicians(where: {favourite: {_type: {in: $t}}}) { name } }'
    const ask = async (query: string, variables: object) => (await apis.graphql(query, variables)).data
    assert.deepEqual(await ask(types, { t: ['Score'] }), { musicians: named('Ann') })
    assert.deepEqual(await ask(types, { t: ['Chair', 'Recording'] }), { musicians: named('Bob', 'Cat') })
    assert.deepEqual(await ask(types, { t: [] }), { musicians: [] })
    assert.deepEqual(await ask(types, { t: 'Chair' }), { musicians: named('Cat') })
    assert.deepEqual(await ask(types, {}), { musicians: named('Ann', 'Bob', 'Cat', 'Dan') })
    for (const type of ['Score', 'Recording'] as const) {
      const w = { favourite: { [type]: { title: { eq: 'Song' } } } }
      assert.deepEqual(await ask(document, { w }), { musicians: type === 'Score' ? [] : named('Bob') })
    }
  })

  test('one plan serves all values of a filter by a field of a type', async () => {
    apis.executed.length = 0
    for (const title of ['Fugue', 'Song']) await apis.rest('GET', `/musicians?favourite:Score.title=${title}`)
    for (const title of ['Fugue', 'Song']) {
      const json = encodeURIComponent(JSON.stringify({ favourite: { Score: { title: { eq: title } } } }))
      await apis.rest('GET', `/musicians?where=${json}`)
    }
    const [a, b, c, d] = apis.executed
    assert.equal(a!.plan, b!.plan)
    assert.equal(c!.plan, d!.plan)
  })

  const mistakes: [path: string, problems: Record<string, string>][] = [
    [
      '/musicians?fields=favourite:Scroe.title,favourite:Recording.secnds,favourite.title,nam',
      {
        'fields.favourite:Scroe': '"Scroe" is not a type of Item. Did you mean "Score"?',
        'fields.favourite:Recording.secnds': '"secnds" is not a field of Recording. Did you mean "seconds"?',
        'fields.favourite.title':
          '"title" is not a field of Item. It is a field of Score: write favourite:Score.title.',
        'fields.nam': '"nam" is not a field of Musician. Did you mean "name"?',
      },
    ],
    [
      '/items?fields=Score.title,:Score.titel,:Recording.titel',
      {
        'fields.Score': '"Score" is not a field of Item. For fields of rows of this type, write :Score.id.',
        'fields:Score.titel': '"titel" is not a field of Score. Did you mean "title"?',
        'fields:Recording.titel': '"titel" is not a field of Recording. Did you mean "title"?',
      },
    ],
    [
      '/musicians?fields=favourite:Score',
      { fields: '"favourite:Score" ends with a type; choose fields of it, such as favourite:Score.id.' },
    ],
    ['/musicians?fields=favourite:Score:Item.id', { fields: 'has an empty type; write fields=author:User.name.' }],
    [
      '/musicians?fields=first.composer.nam,first:Score.composer.nam',
      {
        'fields.first.composer.nam': '"nam" is not a field of Composer. Did you mean "name"?',
      },
    ],
    [
      '/musicians?favourite:Scroe.title=x&favourite:Score.titel=x&favourite.title=x&favourite._type=Scores&favourite._type[lt]=Score',
      {
        'favourite:Scroe.title': '"Scroe" is not a type of Item. Did you mean "Score"?',
        'favourite:Score.titel': '"titel" is not a field of Score. Did you mean "title"?',
        'favourite.title': '"title" is not a field of Item. It is a field of Score: write ":Score.title".',
        'favourite._type': '"Scores" is not a type of Item; there are Score, Recording, Chair. Did you mean "Score"?',
        'favourite._type[lt]': '"lt" is not an operator of the type; there are eq, ne, in, notIn.',
      },
    ],
  ]

  for (const [path, problems] of mistakes) {
    test(`${path} is refused with all mistakes at once`, async () => {
      const { status, body } = await apis.rest('GET', path)
      assert.equal(status, 400)
      const { errors } = body as { errors: { path: string; message: string }[] }
      assert.deepEqual(Object.fromEntries(errors.map((one) => [one.path, one.message])), problems)
      assert.equal(errors.length, Object.keys(problems).length)
    })
  }

  test('GraphQL names wrong types and fields of filters too', async () => {
    const messages = async (filter: string) =>
      (await apis.graphql(where(filter))).errors.map(({ message }) => message).join('\n')
    assert.match(
      await messages('{favourite: {Scroe: {}}}'),
      /type "ItemWhere" not to include unknown field "Scroe"\. Did you mean "Score"\?/,
    )
    assert.match(
      await messages('{favourite: {_type: {eq: Scores}}}'),
      /Value "Scores" does not exist in "ItemTypename" enum/,
    )
    assert.match(await messages('{favourite: {Score: {isNull: true}}}'), /is not allowed here; \{"_type"/)
    assert.match(await messages('{favourite: {Score: null}}'), /must not be null/)
  })

  // ---------------------------------------------------------------- written back as it was read

  test('a reference shows the type, and PUT, PATCH and POST take what GET showed', async () => {
    const before = await apis.rest('GET', '/musicians/bob')
    assert.deepEqual(before.body, {
      id: 'bob',
      name: 'Bob',
      favourite: 'Recording:dup',
      first: 'Score:dup',
      mark: null,
    })
    for (const method of ['PUT', 'PATCH']) {
      const after = await apis.rest(method, '/musicians/bob', before.body)
      assert.deepEqual([after.status, after.body], [200, before.body])
      assert.equal(after.headers.etag, before.headers.etag, 'nothing has changed')
    }
    const { id: _, ...copy } = before.body as Record<string, unknown>
    const made = await apis.rest('POST', '/musicians', copy)
    assert.equal(made.status, 201)
    const { id, ...row } = made.body as Record<string, unknown>
    assert.deepEqual(row, copy)
    assert.equal((await apis.rest('DELETE', `/musicians/${id}`)).status, 204)
  })

  test('an immutable reference can be sent back unchanged', async () => {
    const { body } = await apis.rest('GET', '/musicians/cat')
    assert.equal((body as { mark: string }).mark, 'Score:dup')
    assert.equal((await apis.rest('PUT', '/musicians/cat', body)).status, 200)
    const other = await apis.rest('PUT', '/musicians/cat', { ...(body as object), mark: 'Recording:dup' })
    assert.equal(other.status, 400)
  })

  test('in XML, NDJSON and CSV too, and in GraphQL as an input', async () => {
    const get = (path: string, accept: string) =>
      apis.send('rest', { method: 'GET', path, headers: { accept } }).then(async ({ body }) => text(body))
    const xml = await get('/musicians/bob', 'application/xml')
    assert.match(xml, /<favourite>Recording:dup<\/favourite>/)
    const headers = { 'content-type': 'application/xml' }
    const back = await apis.send('rest', { method: 'PUT', path: '/musicians/bob', headers, body: xml })
    assert.equal(back.status, 200)
    assert.match(
      await get('/musicians?name=Bob', 'application/x-ndjson'),
      /"favourite":"Recording:dup","first":"Score:dup"/,
    )
    assert.equal(
      await get('/musicians?name=Bob&fields=name,favourite,first.title,first:Recording.seconds', 'text/csv'),
      'name,favourite,first.title,first.seconds\r\nBob,Recording:dup,Mass,\r\n',
    )
    const { data, errors } = await apis.graphql(
      'mutation ($i: UpdateMusicianInput) { updateMusician(id: "bob", input: $i) { favourite { __typename ... on Recording { id } } } }',
      { i: { favourite: 'Recording:dup' } },
    )
    assert.deepEqual([data, errors], [{ updateMusician: { favourite: { __typename: 'Recording', id: 'dup' } } }, []])
  })

  test('a JSON patch tests, copies and moves it as it was read', async () => {
    const headers = { 'content-type': 'application/json-patch+json' }
    const patch = [
      { op: 'test', path: '/favourite', value: 'Recording:dup' },
      { op: 'copy', from: '/first', path: '/favourite' },
    ]
    const patched = await apis.send('rest', {
      method: 'PATCH',
      path: '/musicians/bob?fields=favourite',
      headers,
      body: JSON.stringify(patch),
    })
    assert.deepEqual([patched.status, await text(patched.body)], [200, '{"favourite":"Score:dup"}'])
    assert.equal((await apis.rest('PATCH', '/musicians/bob', { favourite: 'Recording:dup' })).status, 200)
  })
})

async function text(body: unknown): Promise<string> {
  if (typeof body === 'string') return body
  const parts: string[] = []
  for await (const part of body as AsyncIterable<string | Uint8Array>)
    parts.push(Buffer.from(part as string).toString())
  return parts.join('')
}
