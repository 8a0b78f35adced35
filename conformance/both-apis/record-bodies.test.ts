// Creates of many rows from a body in NDJSON or CSV (docs/reference/rest.md, R69), beside the same rows as an array and as
// `createPosts`.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { HttpReply, Viewer } from '../../packages/twain/src/base/http/index.ts'
import { bodyText } from '../../packages/twain/src/base/http/index.ts'
import type { PendingWrite } from '../../packages/twain/src/code/define-service.ts'
import { graphqlData, openApis, restBody, type TestApis } from '../harness/open-apis.ts'
import { openWithPeople, type Person } from '../harness/open-with-people.ts'

const sdl = `
  type Post @allow {
    id: ID! title: String! rank: Int slug: String @unique when: DateTime price: Decimal isDone: Boolean! @default(value: false)
    words: [String!] extra: JSON size: Size author: Author comments: [Comment!]! tags: [Tag!]! made: DateTime @auto(set: CREATE_TIME)
  }
  type Size { width: Int height: Int }
  type Author @allow { id: ID! name: String! posts: [Post!]! }
  type Comment @allow { id: ID! text: String! post: Post! @relation(onDelete: CASCADE) }
  type Tag @allow { id: ID! word: String! posts: [Post!]! }
`

interface Sent {
  status: number
  headers: HttpReply['headers']
  body: unknown
}

interface Mistakes {
  status: number
  code: string
  detail: string
  hint?: string
  errors: { path: string; line?: number; pointer?: string; code: string; message: string }[]
}

async function send(apis: TestApis, path: string, type: string, body: string, more: object = {}, viewer?: Viewer) {
  const headers = { 'content-type': type, ...more }
  const reply = await apis.send('rest', { method: 'POST', path, headers, body }, viewer)
  return { status: reply.status, headers: reply.headers, body: JSON.parse(await bodyText(reply)) } as Sent
}

const ndjson = 'application/x-ndjson'
const csv = 'text/csv'
const mistakesOf = ({ body }: Sent) => body as Mistakes
const places = (sent: Sent) => mistakesOf(sent).errors.map(({ path, line, code }) => [path, line, code])

describe('bodies in NDJSON and CSV', () => {
  let apis: TestApis
  let author: string
  let tags: string[]
  before(async () => {
    apis = await openApis(sdl, { bulk: 4 })
    author = ((await restBody(apis, 'POST', '/authors', { name: 'Ann' })) as { id: string }).id
    const made = (await restBody(apis, 'POST', '/tags', [{ word: 'a' }, { word: 'b' }])) as { id: string }[]
    tags = made.map(({ id }) => id)
  })
  after(() => apis.close())

  const fields = 'title,rank,slug,when,price,isDone,words,extra,size,author,tags.id'
  const count = async () => ((await restBody(apis, 'GET', '/posts?limit=100')) as unknown[]).length
  const rows = () => [
    {
      title: 'One, "two"\nthree',
      rank: 1,
      when: '2026-01-02T03:04:05.000Z',
      price: '1.50',
      isDone: true,
      words: ['x', 'y z'],
      extra: { a: [1, null] },
      size: { width: 3, height: null },
      author,
      tags,
    },
    { title: '', rank: null },
  ]

  test('the same rows come from an array, GraphQL, NDJSON and CSV', async () => {
    const array = (await restBody(apis, 'POST', `/posts?fields=${fields}`, rows())) as object[]
    const lines = rows().map((row) => JSON.stringify(row))
    const many = await send(apis, `/posts?fields=${fields}`, ndjson, `\n${lines.join('\r\n')}\n\n`)
    assert.deepEqual([many.status, many.body], [201, array])
    const table = [
      'title,rank,when,price,isDone,words,extra,size.width,author,tags',
      `"One, ""two""\nthree",1,2026-01-02T03:04:05Z,1.50,TRUE,"[""x"",""y z""]","{""a"":[1,null]}",3,${author},"${tags.join()}"`,
      '"",,,,,,,,,',
    ]
    const cells = await send(apis, `/posts?fields=${fields}`, `${csv}; charset=utf-8`, `﻿${table.join('\r\n')}`)
    assert.deepEqual([cells.status, cells.body], [201, array])
    const query = `mutation ($inputs: [CreatePostInput!]!) { createPosts(inputs: $inputs) { title rank price size { width height } } }`
    const { createPosts } = await graphqlData(apis, query, { inputs: rows() })
    const chosen = (cells.body as Record<string, unknown>[]).map(({ title, rank, price, size }) => ({
      title,
      rank,
      price,
      size,
    }))
    assert.deepEqual(createPosts, chosen)
  })

  test('an empty cell is null or left out, and "" is an empty text', async () => {
    const made = await send(apis, '/posts?fields=title,slug,isDone', csv, 'title;slug;isDone\n"";;\nb;"";true\n')
    assert.deepEqual(made.body, [
      { title: '', slug: null, isDone: false },
      { title: 'b', slug: '', isDone: true },
    ])
  })

  test('every mistake names its line, and nothing is written', async () => {
    const before = await count()
    const bad = ['{"title": "ok"}', '{"titel": "x"}', '', '{"title": 1, "rank": "x"}', '{nope}', '[]']
    const lines = await send(apis, '/posts', ndjson, bad.join('\n'))
    assert.equal(lines.status, 413) // five rows, and four are the limit
    const fewer = await send(apis, '/posts', ndjson, bad.slice(0, 5).join('\n'))
    assert.deepEqual(fewer.status, 400)
    assert.deepEqual(places(fewer).sort(), [
      ['2.titel', 2, 'UNKNOWN'],
      ['2.title', 2, 'REQUIRED'],
      ['4.rank', 4, 'TYPE'],
      ['4.title', 4, 'TYPE'],
      ['5', 5, 'TYPE'],
    ])
    assert.equal(
      mistakesOf(fewer).errors.some(({ pointer }) => pointer !== undefined),
      false,
    )
    const cells = await send(apis, '/posts', csv, 'title,rank,author\n"a\nb",x,nobody\nc,1\nd,2,\n')
    assert.deepEqual(places(cells), [
      ['4', 4, 'TYPE'],
      ['2.rank', 2, 'TYPE'],
    ])
    const missing = await send(apis, '/posts', csv, 'title,author\na,\nb,nobody\nc,nowhere\n')
    assert.deepEqual(
      [missing.status, places(missing)],
      [
        409,
        [
          ['3.author', 3, 'REFERENCE'],
          ['4.author', 4, 'REFERENCE'],
        ],
      ],
    )
    assert.equal(await count(), before)
  })

  test('a taken unique value names the line of the later row', async () => {
    const taken = await send(
      apis,
      '/posts',
      ndjson,
      '{"title":"a","slug":"same"}\n{"title":"b"}\n{"title":"c","slug":"same"}',
    )
    assert.deepEqual([taken.status, places(taken)], [409, [['3.slug', 3, 'UNIQUE']]])
  })

  test('a header is refused once, with all its mistakes', async () => {
    const header = await send(apis, '/posts', csv, 'title,id,made,titel,size.depth,title\na,b,c,d,e,f\n')
    assert.deepEqual(places(header), [
      ['1.id', 1, 'READONLY'],
      ['1.made', 1, 'READONLY'],
      ['1.titel', 1, 'UNKNOWN'],
      ['1.size.depth', 1, 'UNKNOWN'],
      ['1.title', 1, 'UNKNOWN'],
    ])
    assert.match(mistakesOf(header).errors[2]!.message, /Did you mean "title"/)
  })

  test('a body that is no such text is a 400, and an empty one has no rows', async () => {
    const open = await send(apis, '/posts', csv, 'title\na\n"b\n')
    assert.deepEqual([open.status, mistakesOf(open).code], [400, 'BAD_REQUEST'])
    assert.match(mistakesOf(open).detail, /line 3: .*no closing quote/)
    for (const [type, body] of [
      [ndjson, ''],
      [ndjson, '\n \n'],
      [csv, ''],
      [csv, 'title\n'],
    ] as const) {
      const empty = await send(apis, '/posts', type, body)
      assert.deepEqual([empty.status, places(empty)], [400, [['', undefined, 'LENGTH']]], JSON.stringify(body))
    }
  })

  test('more rows than limits.bulk are a 413', async () => {
    const before = await count()
    const many = await send(apis, '/posts', csv, 'title\na\nb\nc\nd\ne\n')
    assert.deepEqual([many.status, mistakesOf(many).code], [413, 'PAYLOAD_TOO_LARGE'])
    assert.match(mistakesOf(many).detail, /5 rows; at most 4/)
    assert.equal(await count(), before)
  })

  test('other types are a 415 that lists these', async () => {
    const plain = await send(apis, '/posts', 'text/plain', 'title\na')
    assert.deepEqual(
      [plain.status, plain.headers.accept],
      [415, 'application/json, application/xml, text/xml, application/x-ndjson, text/csv'],
    )
    assert.equal((await send(apis, '/posts', `${csv}; header=absent`, 'a\n')).status, 415)
    assert.equal((await send(apis, '/posts', `${csv}; charset=latin1`, 'title\na\n')).status, 415)
    const one = await apis.send('rest', {
      method: 'PUT',
      path: `/authors/${author}`,
      headers: { 'content-type': csv },
      body: 'name\nAnn\n',
    })
    assert.equal(one.status, 415)
  })

  test('rows have rows of their own, and a nested path its owner', async () => {
    const line = JSON.stringify({ title: 'with', comments: [{ text: 'a' }] })
    const made = await send(apis, '/posts?fields=comments.text', ndjson, line)
    assert.deepEqual(made.body, [{ comments: [{ text: 'a' }] }])
    const cell = await send(apis, '/posts?fields=comments.text', csv, 'title,comments\nx,"[{""text"": ""b""}]"\n')
    assert.deepEqual(cell.body, [{ comments: [{ text: 'b' }] }])
    const nested = await send(apis, `/authors/${author}/posts?fields=title,author`, csv, 'title\na\nb\n')
    assert.deepEqual(nested.body, [
      { title: 'a', author },
      { title: 'b', author },
    ])
    const other = await send(apis, `/authors/${author}/posts`, csv, `title,author\na,${author}\nb,other\n`)
    assert.deepEqual(places(other), [['3.author', 3, 'READONLY']])
    assert.equal((await send(apis, '/authors/nobody/posts', csv, 'title\na\n')).status, 404)
  })

  test('onConflict changes the rows that are there', async () => {
    const first = await send(apis, '/posts?onConflict=slug&fields=title,rank', csv, 'slug,title,rank\nk1,a,1\nk2,b,2\n')
    assert.equal(first.status, 201)
    const second = await send(apis, '/posts?onConflict=slug&fields=title,rank', csv, 'slug,title\nk1,A\nk3,C\n')
    assert.deepEqual(
      [second.status, second.body],
      [
        201,
        [
          { title: 'A', rank: 1 },
          { title: 'C', rank: null },
        ],
      ],
    )
    const left = await send(apis, '/posts?onConflict=slug&fields=title', csv, 'slug,title\nk1,x\n', {
      prefer: 'resolution=ignore-duplicates',
    })
    assert.deepEqual(
      [left.status, left.body, left.headers['preference-applied']],
      [200, [{ title: 'A' }], 'resolution=ignore-duplicates'],
    )
    const none = await send(apis, '/posts?onConflict=slug', csv, 'title\na\n')
    assert.deepEqual(places(none), [['2.slug', 2, 'REQUIRED']])
  })

  test('an idempotency key makes the rows once, and is for one body', async () => {
    const key = { 'idempotency-key': '"import-1"' }
    const body = 'title\nonce\ntwice\n'
    const before = await count()
    const first = await send(apis, '/posts', csv, body, key)
    const again = await send(apis, '/posts', csv, body, key)
    assert.deepEqual([again.status, again.body, again.headers['idempotent-replayed']], [201, first.body, 'true'])
    assert.equal(await count(), before + 2)
    assert.equal((await send(apis, '/posts', csv, 'title\nother\n', key)).status, 422)
    assert.equal((await send(apis, '/posts', ndjson, '{"title":"once"}', key)).status, 422)
  })
})

test('rules judge each row of a body, and a 403 names its line', async () => {
  const { apis, ann, bob } = await openWithPeople(`
    type User @account @allow(who: "self") @allow(to: [CREATE]) { id: ID! email: String! @unique notes: [Note!]! }
    type Note @allow(who: "owner") { id: ID! text: String! owner: User! secret: String @allow(role: "chief") }
  `)
  try {
    const as = (person: Person, type: string, body: string) => send(apis, '/notes', type, body, {}, person.viewer)
    const own = await as(ann, csv, `text,owner\na,${ann.id}\nb,${ann.id}\n`)
    assert.deepEqual([own.status, (own.body as unknown[]).length], [201, 2])
    const others = await as(ann, ndjson, `{"text":"a","owner":"${ann.id}"}\n{"text":"b","owner":"${bob.id}"}`)
    assert.deepEqual([others.status, places(others)], [409, [['2.owner', 2, 'REFERENCE']]]) // Ann can't read Bob
    const secret = await as(ann, csv, `text,owner,secret\na,${ann.id},\nb,${ann.id},s\n`)
    assert.equal(secret.status, 403)
    assert.deepEqual(
      places(secret).filter(([path]) => path === '3.secret'),
      [['3.secret', 3, 'READONLY']],
    )
    assert.equal((await send(apis, '/notes', csv, `text,owner\na,${ann.id}\n`)).status, 401)
    const { body } = await ann.rest('GET', '/notes')
    assert.equal((body as unknown[]).length, 2)
    const users = await send(apis, '/users', csv, 'email,password\nc@example.org,correct horse\nd@example.org,\n')
    assert.deepEqual(places(users), [['3.password', 3, 'REQUIRED']])
    const made = await send(apis, '/users?fields=id', csv, 'email,password\nc@example.org,correct horse\n')
    assert.equal(made.status, 201)
  } finally {
    await apis.close()
  }
})

test('hooks see each row of a body', async () => {
  const seen: string[] = []
  const before = {
    Post: async ({ next: row }: PendingWrite) => {
      if (row?.title === 'bad') throw Object.assign(new Error('Bad title.'), { code: 'CONFLICT' })
      seen.push(String(row?.title))
    },
  }
  const service = { before } as never
  const apis = await openApis('type Post @allow { id: ID! title: String! }', {}, undefined, undefined, undefined, {
    service,
  })
  try {
    assert.equal((await send(apis, '/posts', csv, 'title\na\nb\n')).status, 201)
    assert.deepEqual(seen, ['a', 'b'])
    assert.equal((await send(apis, '/posts', csv, 'title\nc\nbad\n')).status, 409)
    assert.equal(((await restBody(apis, 'GET', '/posts')) as unknown[]).length, 2)
  } finally {
    await apis.close()
  }
})

describe('many rows at once', () => {
  const many = 260
  let apis: TestApis
  let author: string
  before(async () => {
    apis = await openApis(sdl)
    author = ((await restBody(apis, 'POST', '/authors', { name: 'Ann' })) as { id: string }).id
  })
  after(() => apis.close())

  const numbered = (mark: string) =>
    Array.from({ length: many }, (_, n) => ({ title: `${mark} ${n}`, slug: `${mark}-${n}`, rank: n, author }))
  const post = (rows: readonly object[], path = '/posts?fields=id,title,rank,author,_version') =>
    send(apis, path, ndjson, rows.map((row) => JSON.stringify(row)).join('\n'))
  const countOf = async (mark: string) => {
    const { headers } = await apis.rest('GET', `/posts?title[startsWith]=${mark}&limit=1`, undefined, {
      prefer: 'count=exact',
    })
    return Number(headers['x-total-count'])
  }

  test('they come back in their order, each with its version and its event', async () => {
    const { status, body } = await post(numbered('a'))
    const rows = body as { id: string; title: string; rank: number; author: string; _version: number }[]
    assert.equal(status, 201)
    assert.deepEqual(
      rows.map(({ title, rank, author: by, _version }) => [title, rank, by, _version]),
      numbered('a').map(({ title, rank }) => [title, rank, author, 1]),
    )
    assert.equal(new Set(rows.map(({ id }) => id)).size, many)
    const last = rows.at(-1)!.id
    const changes = (await restBody(apis, 'GET', `/posts/${last}/changes`)) as {
      edges: { node: { kind: string; version: number } }[]
    }
    assert.deepEqual(
      changes.edges.map(({ node }) => [node.kind.toLowerCase(), node.version]),
      [['created', 1]],
    )
  })

  test('mistakes of rows far apart are named together, and nothing is written', async () => {
    const rows = numbered('b').map((row, n) => (n === 7 || n === 255 ? { ...row, author: 'nobody' } : row))
    const missing = await post(rows)
    assert.deepEqual(
      [missing.status, places(missing)],
      [
        409,
        [
          ['8.author', 8, 'REFERENCE'],
          ['256.author', 256, 'REFERENCE'],
        ],
      ],
    )
    const taken = await post(numbered('b').map((row, n) => (n === 250 ? { ...row, slug: 'a-3' } : row)))
    assert.deepEqual([taken.status, places(taken)], [409, [['251.slug', 251, 'UNIQUE']]])
    const twice = await post(numbered('b').map((row, n) => (n === 250 ? { ...row, slug: 'b-3' } : row)))
    assert.deepEqual([twice.status, places(twice)], [409, [['251.slug', 251, 'UNIQUE']]])
    assert.equal(await countOf('b'), 0)
    assert.equal((await post(numbered('b'))).status, 201)
    assert.equal(await countOf('b'), many)
  })

  test('two lists with the same unique values at once: one of them is created', async () => {
    const answers = await Promise.all([post(numbered('c')), post(numbered('c')), post(numbered('c'))])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409])
    assert.equal(await countOf('c'), many)
  })

  test('createPosts takes the same way', async () => {
    const query = 'mutation ($inputs: [CreatePostInput!]!) { createPosts(inputs: $inputs) { title author { name } } }'
    const { createPosts } = await graphqlData(apis, query, { inputs: numbered('d') })
    assert.deepEqual(
      createPosts,
      numbered('d').map(({ title }) => ({ title, author: { name: 'Ann' } })),
    )
  })
})

test('rules that read rows of the same type see the rows before in the list', async () => {
  const { apis, ann } = await openWithPeople(`
    type User @account @allow(to: [READ, CREATE]) { id: ID! email: String! @unique memberships: [Membership!]! }
    type Team @allow(to: [READ, CREATE]) { id: ID! name: String! members: [Membership!]! }
    type Membership @allow(to: [READ]) @allow(who: "user", to: [CREATE], where: {team: {members: {none: {}}}})
      @allow(who: "team.members.user", to: [CREATE]) { id: ID! team: Team! user: User! }
  `)
  try {
    const team = ((await ann.rest('POST', '/teams', { name: 'x' })).body as { id: string }).id
    const rows = Array.from({ length: 3 }, () => ({ team, user: ann.id }))
    // The first founds the team; the others are those of a member.
    const made = await ann.rest('POST', '/memberships', rows)
    assert.equal(made.status, 201, JSON.stringify(made.body))
  } finally {
    await apis.close()
  }
})
