// Relay: the interface `Node`, `node` and `nodes`; and what relay-compiler makes of the schema.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { buildSchema } from 'graphql'
import { anonymous } from '../../packages/twain/src/base/http/index.ts'
import { ApiError, type ComputedResolver, type ServiceCode } from '../../packages/twain/src/code/define-service.ts'
import { printSchema } from '../../packages/twain/src/graphql/index.ts'
import { loadModel } from '../../packages/twain/src/model/index.ts'
import { type ApiClient, openApis, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  interface Titled { id: ID! title: String! }
  type Author @allow { id: ID! name: String! books: [Book!]! }
  type Book implements Titled @allow {
    id: ID! title: String! author: Author! price: Int @allow(role: "staff", to: [READ]) loud: String! @computed(from: ["title"])
  }
  type Song implements Titled @allow { id: ID! title: String! }
  type Order @allow(role: "staff") { id: ID! total: Int! }
`

const loud: ComputedResolver = (rows) =>
  rows.map(({ title }) =>
    title === 'Quiet' ? new ApiError('UNAVAILABLE', 'It is too quiet.') : String(title).toUpperCase(),
  )

const service: ServiceCode = { resolvers: { Book: { loud } } }

describe('Relay', () => {
  let apis: TestApis
  let staff: ApiClient
  const ids: Record<'ann' | 'tides' | 'quiet' | 'song' | 'order', string> = {} as never
  before(async () => {
    apis = await openApis(sdl, {}, undefined, undefined, undefined, { service })
    staff = apis.as({ ...anonymous, authenticated: true, roles: ['staff'] })
    const { createAuthor } = await data(apis, 'mutation { createAuthor(input: {name: "Ann"}) { id _nodeId } }')
    const { createBooks, createSong } = await data(
      apis,
      `mutation($author: ID!) {
        createBooks(inputs: [{title: "Tides", author: $author}, {title: "Quiet", author: $author}]) { _nodeId }
        createSong(input: {title: "Sea"}) { _nodeId }
      }`,
      { author: createAuthor.id },
    )
    const { createOrder } = await data(staff, 'mutation { createOrder(input: {total: 5}) { _nodeId } }')
    Object.assign(ids, { ann: createAuthor._nodeId, song: createSong._nodeId, order: createOrder._nodeId })
    Object.assign(ids, { tides: createBooks[0]._nodeId, quiet: createBooks[1]._nodeId })
  })
  after(() => apis.close())

  const nodeQuery = `query($id: ID!) {
    node(_nodeId: $id) { __typename _nodeId ... on Titled { title } ... on Author { name books { title _nodeId } } }
  }`

  test('node finds a row of any type by the id that each read, write and list has', async () => {
    assert.equal(new Set(Object.values(ids)).size, 5)
    assert.deepEqual(await data(apis, nodeQuery, { id: ids.song }), {
      node: { __typename: 'Song', _nodeId: ids.song, title: 'Sea' },
    })
    const { node } = await data(apis, nodeQuery, { id: ids.ann })
    assert.deepEqual(
      [node.name, node.books.map((book: { _nodeId: string }) => book._nodeId).sort()],
      ['Ann', [ids.tides, ids.quiet].sort()],
    )
    const listed = await data(
      apis,
      '{ titleds { _nodeId } songsConnection { edges { node { ... on Node { _nodeId } } } } }',
    )
    assert.deepEqual(
      listed.titleds.map((row: { _nodeId: string }) => row._nodeId).sort(),
      [ids.tides, ids.quiet, ids.song].sort(),
    )
    assert.equal(listed.songsConnection.edges[0].node._nodeId, ids.song)
  })

  test('it is the plan of a read by id, cached for each type', async () => {
    apis.executed.length = 0
    const id = localId(ids.tides)
    await data(apis, 'query($id: ID!) { node(_nodeId: $id) { ... on Book { title } } }', { id: ids.tides })
    await data(apis, 'query($id: ID!) { node(_nodeId: $id) { ... on Book { title } } }', { id: ids.quiet })
    await data(apis, 'query($id: ID!) { node: book(id: $id) { title } }', { id })
    const [first, second, direct] = apis.executed
    assert.equal(first!.plan, second!.plan)
    assert.deepEqual([first!.plan, first!.values], [direct!.plan, direct!.values])
    await data(apis, 'query($id: ID!) { node(_nodeId: $id) { ... on Book { title } } }', { id: ids.song })
    assert.notEqual(apis.executed[3]!.plan, first!.plan)
  })

  test('an id without a row is null, whatever it is', async () => {
    const [type] = ids.song.split('.')
    for (const id of [
      '',
      'x',
      '.',
      `${type}.`,
      `${type}.none`,
      `${type}.a b`,
      'Book.1',
      localId(ids.song),
      ids.song.repeat(9),
    ])
      assert.deepEqual(await data(apis, nodeQuery, { id }), { node: null }, id)
    assert.deepEqual(await data(apis, '{ node(_nodeId: 7) { _nodeId } }'), { node: null })
  })

  test('the rules hold: a type that the viewer may not read has no rows', async () => {
    assert.deepEqual(await data(apis, nodeQuery, { id: ids.order }), { node: null })
    const order = '{ node(_nodeId: "ID") { ... on Order { total } } }'.replace('ID', ids.order)
    assert.deepEqual(await data(staff, order), { node: { total: 5 } })
    const both = await apis.graphql('query($ids: [ID!]!) { nodes(_nodeIds: $ids) { _nodeId ... on Book { price } } }', {
      ids: [ids.order, ids.song, ids.tides],
    })
    assert.deepEqual(both.data, { nodes: [null, { _nodeId: ids.song }, { _nodeId: ids.tides, price: null }] })
    assert.deepEqual(
      both.errors.map(({ path, extensions }) => [path, extensions?.code]),
      [[['nodes', 2, 'price'], 'FORBIDDEN']],
    )
  })

  test('nodes has the rows in the order of the ids, with one read', async () => {
    const query =
      'query($ids: [ID!]!) { nodes(_nodeIds: $ids) { __typename ... on Titled { title } ... on Author { name } } }'
    const song = { __typename: 'Song', title: 'Sea' }
    const ann = { __typename: 'Author', name: 'Ann' }
    const tides = { __typename: 'Book', title: 'Tides' }
    apis.executed.length = 0
    assert.deepEqual(await data(apis, query, { ids: [ids.song, 'x', ids.tides, ids.ann, ids.song] }), {
      nodes: [song, null, tides, ann, song],
    })
    assert.equal(apis.executed.length, 1)
    assert.deepEqual(await data(apis, query, { ids: [ids.ann, ids.tides, ids.song] }), { nodes: [ann, tides, song] })
    assert.equal(apis.executed[1]!.plan, apis.executed[0]!.plan, 'the same types have the same plan')
    assert.deepEqual(await data(apis, query, { ids: [] }), { nodes: [] })
    assert.deepEqual(await data(apis, query, { ids: ['x', 'y'] }), { nodes: [null, null] })
    assert.deepEqual(await data(apis, `{ nodes(_nodeIds: ["${ids.song}"]) { ... on Song { title } } }`), {
      nodes: [{ title: 'Sea' }],
    })
    const many = await apis.graphql(query, { ids: Array.from({ length: 101 }, () => ids.song) })
    assert.equal(many.errors[0]?.extensions?.code, 'VALIDATION_FAILED')
    assert.match(many.errors[0]!.message, /nodes\._nodeIds/)
  })

  test('custom code that fails nulls the row in its place', async () => {
    const query = 'query($ids: [ID!]!) { nodes(_nodeIds: $ids) { ... on Book { loud } ... on Song { title } } }'
    const { data: found, errors } = await apis.graphql(query, { ids: [ids.quiet, ids.song, ids.tides] })
    assert.deepEqual(found, { nodes: [null, { title: 'Sea' }, { loud: 'TIDES' }] })
    assert.deepEqual(
      errors.map(({ path }) => path),
      [['nodes', 0, 'loud']],
    )
  })

  test('relay-compiler compiles refetchable fragments, and their queries run', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'twain-relay-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const generated = join(folder, 'src/__generated__')
    mkdirSync(generated, { recursive: true })
    writeFileSync(join(folder, 'schema.graphql'), printSchema(apis.model))
    writeFileSync(
      join(folder, 'src/Shelf.ts'),
      `import { graphql } from 'relay-runtime'
      graphql\`fragment Shelf_author on Author @refetchable(queryName: "ShelfQuery")
        @argumentDefinitions(count: {type: "Int", defaultValue: 1}, cursor: {type: "String"}) {
        name booksConnection(first: $count, after: $cursor) @connection(key: "Shelf_booksConnection") { edges { node { title } } }
      }\`
      graphql\`fragment Shelf_title on Titled @refetchable(queryName: "ShelfTitleQuery") { title }\``,
    )
    const page = readFileSync(join(import.meta.dirname, '../../docs/reference/graphql.md'), 'utf8')
    const [, shown = ''] = /```jsonc\n(\{[^`]*nodeInterfaceIdField[^`]*)```/.exec(page) ?? []
    writeFileSync(join(folder, 'relay.config.json'), shown)
    const compiler = join(import.meta.dirname, '../../node_modules/relay-compiler/cli.js')
    await promisify(execFile)(process.execPath, [compiler, 'relay.config.json'], { cwd: folder })
    const shelf = await data(apis, textIn(join(generated, 'ShelfQuery.graphql.ts')), { _nodeId: ids.ann })
    assert.equal(shelf.node.name, 'Ann')
    assert.equal(shelf.node.booksConnection.edges.length, 1)
    const title = await data(apis, textIn(join(generated, 'ShelfTitleQuery.graphql.ts')), { _nodeId: ids.song })
    assert.deepEqual([title.node.title, title.node._nodeId], ['Sea', ids.song])
  })
})

test('a schema with a type, an operation or a list of the name has no interface Node', () => {
  const off = [
    'type Node @allow { id: ID! next: Node }',
    'type A @allow { id: ID! } enum Node { X }',
    'type Knot @was(name: "Node") @allow { id: ID! }',
    'type A @allow { id: ID! } type Query { nodes: Int @allow }',
    'type Vertex @allow @resource(path: "nodes") { id: ID! }',
  ]
  for (const text of off) {
    const schema = buildSchema(printSchema(loadModel(text, 'x.graphql')))
    assert.doesNotMatch(printSchema(loadModel(text, 'x.graphql')), /_nodeId/, text)
    assert.ok(schema.getQueryType())
  }
  assert.match(printSchema(loadModel('type A @allow { id: ID! }', 'x.graphql')), /type A implements Node \{/)
  assert.throws(() => loadModel('type A @allow { id: ID! _nodeId: Int }', 'x.graphql'))
})

// biome-ignore lint/suspicious/noExplicitAny: the answers of several documents
type Data = any

async function data(client: ApiClient, query: string, variables?: unknown): Promise<Data> {
  const { data: found, errors } = await client.graphql(query, variables)
  assert.deepEqual(errors, [])
  return found
}

function localId(nodeId: string): string {
  return nodeId.slice(nodeId.indexOf('.') + 1)
}

/** The document of a generated query. */
function textIn(file: string): string {
  const [, text = ''] = /"text": ("(?:[^"\\]|\\.)*")/.exec(readFileSync(file, 'utf8')) ?? []
  return JSON.parse(text) as string
}
