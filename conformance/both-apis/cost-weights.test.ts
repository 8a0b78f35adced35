// `@cost(weight)` sets the cost of a field, the same on both APIs.
// stores: sqlite (a cost does not depend on the store)

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openApis, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  interface Work { id: ID! title: String! @cost(weight: 3) }
  type Author { id: ID! name: String! @cost(weight: 7) books: [Book!]! @cost(weight: 20) }
  type Book implements Work {
    id: ID!
    title: String!
    pages: Int! @cost(weight: 0)
    author: Author @cost(weight: 11)
    size: Size @cost(weight: 4)
    words: Int @computed(from: ["title"]) @cost(weight: 50)
    tags: [String!] @cost(weight: 6)
  }
  type Film implements Work { id: ID! title: String! @cost(weight: 5) }
  type Size { width: Int @cost(weight: 8) height: Int }
  type Query { best: Book @cost(weight: 100) today: String @cost(weight: 30) }
`
const nothing = () => null
const service = {
  resolvers: { Query: { best: nothing, today: () => '1 May' }, Book: { words: (rows: readonly unknown[]) => rows } },
}

describe('@cost sets the cost of a field', () => {
  let apis: TestApis
  before(async () => {
    apis = await openApis(sdl, { cost: 1 }, undefined, undefined, undefined, { service })
  })
  after(() => apis.close())

  // The same fields, of a REST collection and of a GraphQL list: both cost 10 × (2 + …).
  const chosen: Record<string, [string, number]> = {
    pages: ['pages', 0],
    'author.name': ['author { name }', 11 + 7],
    'size.width,size.height': ['size { width height }', 4 + 8 + 1],
    words: ['words', 50],
    tags: ['tags', 60],
    title: ['title', 3],
  }
  for (const [fields, [selection, cost]] of Object.entries(chosen)) {
    test(`${fields}: ${cost}`, async () => {
      assert.equal(await costOfRest(`/books?fields=${fields}`), 10 * (2 + cost))
      assert.equal(await costOfGraphql(`{ books { ${selection} } }`), 10 * (2 + cost))
    })
  }

  test('a list multiplies its own weight; a connection counts it once', async () => {
    assert.equal(await costOfRest('/authors?fields=books.id'), 10 * (2 + 10 * (20 + 1)))
    assert.equal(await costOfGraphql('{ authors { books { id } } }'), 10 * (2 + 10 * (20 + 1)))
    assert.equal(await costOfGraphql('{ author(id: "a") { booksConnection { totalCount } } }'), 2 + 20 + 1)
  })

  test('a list of one row costs what the document with that row costs', async () => {
    const twins: [path: string, selection: string, cost: number][] = [
      ['books?fields=id', 'books { id }', 10 * (20 + 1)],
      ['books?fields=title,tags&limit=3', 'books(limit: 3) { title tags }', 3 * (20 + 3 + 60)],
      ['books?fields=author.books.id&limit=1', 'books(limit: 1) { author { books { id } } }', 20 + 11 + 10 * (20 + 1)],
      ['books?groupBy=&fields=_count', 'booksAggregate { count }', 20 + 1 + 10],
      [
        'books?groupBy=title&fields=title,_count&limit=2',
        'booksGroupBy(by: [{title: VALUE}], limit: 2) { key { title } count }',
        2 * (20 + 2 + 1 + 1) + 10,
      ],
      [
        'books?first=2&fields=id',
        'booksConnection(first: 2) { edges { cursor node { id } } pageInfo { hasNextPage endCursor } }',
        20 + 2 * (2 + 1 + 2 + 1) + 2 + 1 + 1,
      ],
    ]
    for (const [path, selection, cost] of twins) {
      assert.equal(await costOfGraphql(`{ author(id: "a") { ${selection} } }`), 2 + cost, selection)
      assert.equal(await costOfRest(`/authors/a/${path}`), 2 + cost, path)
    }
  })

  test('a member without @cost has that of its interface; a query of the interface counts the most expensive member', async () => {
    assert.equal(await costOfGraphql('{ works { title } }'), 10 * (2 + 5))
    assert.equal(await costOfRest('/works?fields=title'), 10 * (2 + 5))
    assert.equal(await costOfGraphql('{ films { title } }'), 10 * (2 + 5))
  })

  test('custom operations have a cost too', async () => {
    assert.equal(await costOfGraphql('{ best { id } today }'), 100 + 1 + 30)
    assert.equal(await costOfRest('/best?fields=id'), 100 + 1 + 1) // by its id the code names the row
  })

  async function costOfRest(path: string): Promise<number> {
    const { status, body } = await apis.rest('GET', path)
    const { code, detail } = body as { code: string; detail: string }
    assert.deepEqual([status, code], [400, 'QUERY_TOO_COSTLY'], JSON.stringify(body))
    return figure(detail)
  }

  async function costOfGraphql(query: string): Promise<number> {
    const { errors } = await apis.graphql(query)
    assert.equal(errors[0]?.extensions?.code, 'QUERY_TOO_COSTLY', JSON.stringify(errors))
    return figure(errors[0]!.message)
  }
})

function figure(message: string): number {
  return Number(/The query costs (\d+); at most 1 is allowed/.exec(message)?.[1])
}
