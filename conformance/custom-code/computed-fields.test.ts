// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { anonymous } from '../../packages/twain/src/base/http/index.ts'
import type { ComputedResolver, ServiceCode } from '../../packages/twain/src/code/define-service.ts'
import { graphqlData, openApis, restBody, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  interface Work { id: ID! title: String! excerpt(length: Int! = 5, mark: Mark = DOTS): String }
  enum Mark { DOTS NONE }
  type Author @allow { id: ID! name: String! books: [Book!]! initials: String! @computed(from: ["name"]) }
  type Book implements Work @allow {
    id: ID!
    title: String!
    body: String
    "Only for editors."
    note: String @allow(role: "editor", to: [READ])
    author: Author
    "The beginning of the body."
    excerpt(length: Int! = 5, mark: Mark = DOTS): String @computed(from: ["body"])
    noted: String @computed(from: ["note", "author"])
    secret: Int @computed @allow(role: "editor", to: [READ])
    strict: Int! @computed(from: ["title"])
    shelf: Shelf @computed(from: ["title"])
    numbers: [Int] @computed(from: ["title"])
    like: [Book!]! @computed(from: ["title"])
    best: Book @computed
    slow: Int @computed
    picky(where: Choice!): String @computed
  }
  type Film implements Work @allow { id: ID! title: String! plot: String excerpt(length: Int! = 5, mark: Mark = DOTS): String @computed(from: ["plot"]) }
  type Shelf { row: Int! label: String }
  input Choice @oneOf { title: String range: Range }
  input Range { from: Int = 1 to: Int }
`

interface Called {
  field: string
  rows: readonly unknown[]
  args: unknown
}
const calls: Called[] = []
const failing = new Set<string>()

/** The text of a row decides what its resolver does: `fail`, `error`, `null`, `wrong`. */
function act(title: unknown, value: unknown): unknown {
  if (title === 'fail') return new Error('a secret of the code')
  if (title === 'error') return Object.assign(new Error('Not just now.'), { code: 'CONFLICT' })
  if (title === 'null') return null
  return title === 'wrong' ? { strange: true } : value
}

const excerpt =
  (source: string) => (rows: readonly Record<string, unknown>[], args: Readonly<Record<string, unknown>>) => {
    calls.push({ field: 'excerpt', rows, args })
    return rows.map((row) => (row[source] === null ? null : String(row[source]).slice(0, args.length as number)))
  }

const Book: Record<string, ComputedResolver> = {
  excerpt: excerpt('body'),
  async noted(rows, _args, { viewer }) {
    calls.push({ field: 'noted', rows, args: {} })
    return rows.map(({ note }) => `${viewer.roles.join()}:${note}`)
  },
  secret: (rows) => rows.map(() => 7),
  strict: (rows) => {
    if (failing.has('strict')) throw new Error('a secret of the code')
    return rows.map(({ title }) => act(title, 1))
  },
  shelf: (rows) => rows.map(({ title }) => (title === 'fail' ? { row: 'x' } : { row: 3, label: act(title, 'L') })),
  numbers: (rows) => rows.map(({ title }) => [1, act(title, 2), null]),
  like: (rows) => rows.map(({ id }) => [id, { id: 'b2' }, 'nobody']),
  best: (rows) => rows.map((_row, index) => (index === 0 ? 'b1' : null)),
  slow: (_rows, _args, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', reject)),
  picky: (rows, args) => rows.map(() => JSON.stringify(args.where)),
}

const Author: Record<string, ComputedResolver> = {
  initials: (rows) => rows.map(({ name }) => String(name).slice(0, 1)),
}

const service: ServiceCode = { resolvers: { Author, Book, Film: { excerpt: excerpt('plot') } } }

const editor = { ...anonymous, authenticated: true, roles: ['editor'] }

describe('computed fields', () => {
  let apis: TestApis
  const logged: unknown[] = []
  before(async () => {
    apis = await openApis(sdl, { codeSeconds: 0.2 }, undefined, undefined, undefined, {
      service,
      onError: (error) => logged.push(error),
    })
    await restBody(apis, 'PUT', '/authors/a1', { name: 'Ann' })
    await restBody(apis, 'PUT', '/authors/a2', { name: 'Bob' })
    await restBody(apis, 'PUT', '/books/b1', { title: 'One', body: 'Once upon', author: 'a1' })
    await restBody(apis, 'PUT', '/books/b2', { title: 'Two', body: 'Twice as', author: 'a1' })
    await restBody(apis, 'PUT', '/books/b3', { title: 'Three', author: 'a2' })
    await restBody(apis, 'PUT', '/films/f1', { title: 'Film', plot: 'They meet' })
  })
  after(() => apis.close())
  beforeEach(() => {
    calls.length = 0
    logged.length = 0
  })

  test('a resolver is called once for all rows of an answer, with each row once', async () => {
    const data = await graphqlData(
      apis,
      `{ books { title excerpt author { name initials books { excerpt long: excerpt(length: 8) } } } }`,
    )
    assert.deepEqual((data.books as unknown[])[0], {
      title: 'One',
      excerpt: 'Once ',
      author: {
        name: 'Ann',
        initials: 'A',
        books: [
          { excerpt: 'Once ', long: 'Once upo' },
          { excerpt: 'Twice', long: 'Twice as' },
        ],
      },
    })
    assert.deepEqual(
      calls.map(({ rows, args }) => [rows.length, args]),
      [
        [3, { length: 5, mark: 'DOTS' }],
        [3, { length: 8, mark: 'DOTS' }],
      ],
    )
    assert.deepEqual(calls[0]?.rows[0], { body: 'Once upon', id: 'b1' })
  })

  test('both APIs give the same values, and the default REST representation has stored fields only (R115, R116)', async () => {
    const chosen = await restBody(
      apis,
      'GET',
      '/books?fields=id,excerpt,strict,shelf.label,numbers,like.title,author.initials',
    )
    const data = await graphqlData(
      apis,
      '{ books { id excerpt strict shelf { label } numbers like { title } author { initials } } }',
    )
    assert.deepEqual(chosen, data.books)
    const whole = (await restBody(apis, 'GET', '/books/b1')) as object
    assert.deepEqual(Object.keys(whole), ['id', 'title', 'body', 'author'])
    assert.deepEqual(await restBody(apis, 'GET', '/books/b1?fields=shelf'), { shelf: { row: 3, label: 'L' } })
  })

  test('connections, cursor pages and writes have computed fields too', async () => {
    const { booksConnection } = await graphqlData(
      apis,
      '{ booksConnection(first: 2) { edges { node { excerpt } cursor } pageInfo { endCursor } } }',
    )
    const { edges, pageInfo } = booksConnection as {
      edges: { node: unknown; cursor: string }[]
      pageInfo: { endCursor: string }
    }
    assert.deepEqual(
      edges.map(({ node }) => node),
      [{ excerpt: 'Once ' }, { excerpt: 'Twice' }],
    )
    assert.equal(pageInfo.endCursor, edges[1]?.cursor)
    const page = await apis.rest('GET', '/books?first=2&fields=excerpt')
    assert.deepEqual(page.body, { edges, pageInfo: { hasNextPage: true, ...pageInfo } })
    assert.match(String(page.headers.link), /rel="next"/)
    const { updateBook } = await graphqlData(
      apis,
      'mutation { updateBook(id: "b2", title: "Two") { excerpt(length: 1) } }',
    )
    assert.deepEqual(updateBook, { excerpt: 'T' })
    assert.deepEqual(await restBody(apis, 'PATCH', '/books/b2?fields=excerpt', { title: 'Two' }), { excerpt: 'Twice' })
  })

  test('an interface has a field that its members compute', async () => {
    const { works } = await graphqlData(
      apis,
      '{ works { __typename title excerpt(length: 2) ... on Book { strict } } }',
    )
    assert.deepEqual((works as { title: string }[]).toSorted((a, b) => (a.title < b.title ? -1 : 1)).slice(0, 2), [
      { __typename: 'Film', title: 'Film', excerpt: 'Th' },
      { __typename: 'Book', title: 'One', excerpt: 'On', strict: 1 },
    ])
    const rest = (await restBody(apis, 'GET', '/works?fields=title,excerpt')) as object[]
    assert.deepEqual(
      rest.find((row) => 'title' in row && row.title === 'Film'),
      { title: 'Film', excerpt: 'They ' },
    )
  })

  test('a resolver gets null for fields that its viewer may not read, and a computed field can have rules', async () => {
    await apis.as(editor).rest('PATCH', '/books/b1', { note: 'good' })
    assert.deepEqual(await apis.as(editor).graphql('{ book(id: "b1") { noted secret } }'), {
      status: 200,
      data: { book: { noted: 'editor:good', secret: 7 } },
      errors: [],
    })
    const { data, errors } = await apis.graphql('{ book(id: "b1") { noted secret } }')
    assert.deepEqual(data, { book: { noted: ':null', secret: null } })
    assert.deepEqual(
      errors.map(({ path, extensions }) => [path, extensions?.code]),
      [[['book', 'secret'], 'FORBIDDEN']],
    )
    assert.equal((await apis.rest('GET', '/books/b1?fields=secret')).status, 403)
    assert.deepEqual(calls.at(-1)?.rows, [{ note: null, author: 'a1', id: 'b1' }])
  })

  test('of the rows that custom code returns, a viewer gets those that they may read, in the same order', async () => {
    const { book } = await graphqlData(
      apis,
      '{ book(id: "b1") { like { id strict } best { author { name } best { id } } } }',
    )
    assert.deepEqual(book, {
      like: [
        { id: 'b1', strict: 1 },
        { id: 'b2', strict: 1 },
      ],
      best: { author: { name: 'Ann' }, best: { id: 'b1' } },
    })
    assert.deepEqual((await apis.rest('GET', '/books/b1?fields=like')).status, 400)
  })

  test('arguments are coerced by their types, inputs with their defaults, and wrong ones are a 400 with their place (R116)', async () => {
    const query = 'query ($where: Choice!) { book(id: "b1") { picky(where: $where) } }'
    assert.deepEqual((await apis.graphql(query, { where: { range: { to: 4 } } })).data, {
      book: { picky: '{"range":{"from":1,"to":4}}' },
    })
    const { errors } = await apis.graphql(query, { where: { range: { to: 'x' }, title: 'y' } })
    assert.equal(errors[0]?.extensions?.code, 'VALIDATION_FAILED')
    assert.match((await apis.graphql('{ books { excerpt(length: null) } }')).errors[0]!.message, /Int!/)
    const argumentPath =
      '/books/b1?fields=title,excerpt(length:2,mark:NONE),like.excerpt(length:1),picky(where:{"range":{"to":4}})'
    assert.deepEqual(await restBody(apis, 'GET', argumentPath), {
      title: 'One',
      excerpt: 'On',
      like: [{ excerpt: 'O' }, { excerpt: 'T' }],
      picky: '{"range":{"from":1,"to":4}}',
    })
    const places = async (fields: string) => {
      const { status, body } = await apis.rest('GET', `/books/b1?fields=${fields}`)
      return [status, (body as { errors: { path: string }[] }).errors.map(({ path }) => path)]
    }
    assert.deepEqual(await places('picky'), [400, ['fields.picky.where']])
    assert.deepEqual(await places('excerpt(length:x,lenth:1)'), [
      400,
      ['fields.excerpt.lenth', 'fields.excerpt.length'],
    ])
    assert.deepEqual(await places('title(a:1),excerpt(a),excerpt'), [
      400,
      ['fields.excerpt', 'fields.title', 'fields.excerpt'],
    ])
    assert.equal((await apis.rest('GET', '/books/b1?fields=excerpt(length:1')).status, 400)
  })

  test('a failed resolver makes its field null, or the nearest nullable parent, with an error at its path', async (t) => {
    await restBody(apis, 'PUT', '/books/x1', { title: 'error', author: 'a2' })
    t.after(() => restBody(apis, 'DELETE', '/books/x1'))
    const { data, errors } = await apis.graphql(
      '{ book(id: "x1") { title strict } author(id: "a2") { name books { title shelf { row label } numbers } } }',
    )
    assert.deepEqual(data, {
      book: null,
      author: {
        name: 'Bob',
        books: [
          { title: 'Three', shelf: { row: 3, label: 'L' }, numbers: [1, 2, null] },
          { title: 'error', shelf: { row: 3, label: null }, numbers: [1, null, null] },
        ],
      },
    })
    assert.deepEqual(
      errors.map(({ path, message, extensions }) => [path?.join('.'), message, extensions?.code]),
      [
        ['book.strict', 'Not just now.', 'CONFLICT'],
        ['author.books.1.shelf.label', 'Not just now.', 'CONFLICT'],
        ['author.books.1.numbers.1', 'Not just now.', 'CONFLICT'],
      ],
    )
  })

  test('an unexpected error is masked and logged once, and reveals nothing of the code', async () => {
    failing.add('strict')
    const { data, errors } = await apis.graphql('{ books { title strict } }')
    const rest = await apis.rest('GET', '/books?fields=title,strict')
    failing.delete('strict')
    assert.equal(data, null)
    assert.deepEqual(
      errors.map(({ message, path }) => [message, path?.join('.')]),
      [
        ['Internal error.', 'books.0.strict'],
        ['Internal error.', 'books.1.strict'],
        ['Internal error.', 'books.2.strict'],
      ],
    )
    assert.equal(logged.length, 2)
    assert.deepEqual(rest.body, [{ title: 'One' }, { title: 'Two' }, { title: 'Three' }])
    assert.match(String(rest.headers['x-failed-fields']), /^strict;code=INTERNAL;id="[0-9a-f-]+"$/)
    assert.equal(rest.headers['cache-control'], 'no-store')
    assert.equal(rest.headers.etag, undefined)
  })

  test('a resolver that exceeds its timeout makes only its field null, with an error (R117)', async () => {
    const { data, errors } = await apis.graphql('{ book(id: "b1") { title slow } }')
    assert.deepEqual(data, { book: { title: 'One', slow: null } })
    assert.deepEqual(
      errors.map(({ path, extensions }) => [path, extensions?.code]),
      [[['book', 'slow'], 'UNAVAILABLE']],
    )
    const rest = await apis.rest('GET', '/books/b1?fields=title,slow')
    assert.deepEqual(
      [rest.status, rest.body, rest.headers['x-failed-fields']],
      [200, { title: 'One' }, 'slow;code=UNAVAILABLE'],
    )
  })

  test('a computed field has a cost, and cannot be written, filtered or sorted', async () => {
    assert.equal((await apis.rest('POST', '/books', { title: 'x', strict: 1 })).status, 400)
    assert.equal((await apis.rest('GET', '/books?strict=1')).status, 400)
    assert.equal((await apis.rest('GET', '/books?sort=strict')).status, 400)
    const deep = '{ books { like { like { like { like { like { id } } } } } } }'
    assert.equal((await apis.graphql(deep)).errors[0]?.extensions?.code, 'QUERY_TOO_DEEP')
    const dear = '{ books { like { like { like { id } } } } }'
    assert.equal((await apis.graphql(dear)).errors[0]?.extensions?.code, 'QUERY_TOO_COSTLY')
    assert.equal((await apis.rest('GET', '/books?fields=like.like.like.id')).status, 400)
  })
})
