// Custom code executes as the GraphQL specification says: graphql-js's own executor, over the same rows and the same failing
// resolvers, gives the same data and the same error paths for the same documents.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { buildSchema, type ExecutionResult, execute, parse, validate } from 'graphql'
import { anonymous } from '../../packages/twain/src/base/http/index.ts'
import type { ComputedResolver, ServiceCode } from '../../packages/twain/src/code/define-service.ts'
import { printSchema } from '../../packages/twain/src/graphql/index.ts'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { Draw } from '../generate/draw.ts'
import { propertySeed } from '../generate/seed.ts'
import { resolversOver } from '../graphql/plain-resolvers.ts'
import { drawDocument } from '../graphql/random-document.ts'
import { type Row, Rows } from '../graphql/rows.ts'
import { type GraphqlAnswer, openApis, restBody, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  type Shelf { id: ID! name: String! books: [Book!]!
    soft: Int @computed(from: ["name"]) hard: Int! @computed(from: ["name"]) softs: [Int] @computed(from: ["name"])
    hards: [Int!] @computed(from: ["name"]) must: [Int!]! @computed(from: ["name"]) box: Box @computed(from: ["name"])
    boxes: [Box!] @computed(from: ["name"]) }
  type Book { id: ID! name: String! shelf: Shelf! soft: Int @computed(from: ["name"]) hard: Int! @computed(from: ["name"]) }
  type Box { wide: Int! high: Int }
  type Query { softOne: Int hardOne: Int! list: [Int!] }
`

const names = ['fine', 'fail', 'null', 'inner']
const failure = () => new Error('it fails')

/** The result of every field of a row, by the row's name. */
function resultOf(field: string, name: unknown): unknown {
  if (name === 'fail') return failure()
  if (name === 'null') return null
  const inner = name === 'inner'
  if (field === 'box') return inner ? { wide: failure(), high: 1 } : { wide: 1, high: 2 }
  if (field === 'boxes')
    return [{ wide: 1, high: inner ? failure() : 1 }, inner ? { wide: null } : { wide: 2, high: null }]
  if (/^(soft|hard|must)s?$/.test(field) && /s$|must/.test(field)) return [1, inner ? failure() : 2, 3]
  return 7
}

function resolversOf(fields: readonly string[]): Record<string, ComputedResolver> {
  return Object.fromEntries(fields.map((field) => [field, (rows) => rows.map(({ name }) => resultOf(field, name))]))
}

const shelfFields = ['soft', 'hard', 'softs', 'hards', 'must', 'box', 'boxes']
const service: ServiceCode = {
  resolvers: {
    Shelf: resolversOf(shelfFields),
    Book: resolversOf(['soft', 'hard']),
    Query: {
      softOne: () => failure(),
      hardOne: () => {
        throw failure()
      },
      list: () => [1, null],
    },
  },
}

/** Fewer on PostgreSQL. */
const runs = testedStore === 'postgres' ? 200 : 800

describe('custom code executes as the specification says', () => {
  let apis: TestApis
  const shelves = names.map((name) => ({
    id: name,
    name,
    books: names.map((book) => ({ id: `${name}-${book}`, name: book })),
  }))
  before(async () => {
    apis = await openApis(sdl, { cost: 0 }, undefined, undefined, undefined, { service, onError() {} })
    for (const { id, name, books } of shelves) {
      await restBody(apis, 'PUT', `/shelves/${id}`, { name })
      for (const book of books) await restBody(apis, 'PUT', `/books/${book.id}`, { name: book.name, shelf: id })
    }
  })
  after(() => apis.close())

  const parts = {
    soft: 'soft',
    hard: 'hard',
    softs: 'softs',
    hards: 'hards',
    must: 'must',
    box: 'box { wide high }',
    boxes: 'boxes { wide high }',
  }
  const selections = Object.values(parts).flatMap((one, index, all) => [
    one,
    ...all.slice(index + 1).map((other) => `${one} ${other}`),
  ])
  const documents = [
    ...selections.flatMap((selection) => names.map((name) => `{ shelf(id: "${name}") { id ${selection} } }`)),
    ...selections.map((selection) => `{ shelves { id ${selection} } }`),
    ...names.flatMap((name) =>
      ['soft', 'hard', 'soft hard'].map((book) => `{ shelf(id: "${name}") { name soft books { name ${book} } } }`),
    ),
    '{ shelves { name books { soft } } }',
    '{ softOne }',
    '{ hardOne }',
    '{ a: softOne list shelf(id: "fine") { name } }',
    '{ softOne hardOne shelf(id: "fine") { name } }',
  ]

  test(`${documents.length} documents`, async () => {
    const schema = buildSchema(printSchema(apis.model))
    const own = (row: Record<string, unknown>, fields: readonly string[]): Record<string, unknown> => ({
      ...row,
      ...Object.fromEntries(fields.map((field) => [field, () => raised(resultOf(field, row.name))])),
    })
    const byId = (row: { id: string }, other: { id: string }) => (row.id < other.id ? -1 : 1)
    const shelf = (row: (typeof shelves)[number]) => ({
      ...own(row, shelfFields),
      books: () => row.books.toSorted(byId).map((book) => own(book, ['soft', 'hard'])),
    })
    const rootValue = {
      shelf: ({ id }: { id: string }) => shelf(shelves.find((one) => one.id === id)!),
      shelves: () => shelves.toSorted(byId).map(shelf),
      softOne: () => raised(failure()),
      hardOne: () => raised(failure()),
      list: () => [1, null],
    }
    for (const text of documents) {
      assertSame(await apis.graphql(text), await execute({ schema, document: parse(text), rootValue }), text)
    }
  })

  test(`${runs} random documents`, async () => {
    const schema = buildSchema(printSchema(apis.model))
    const rows = new Rows()
    for (const { id, name, books } of shelves) {
      rows.add({ type: 'Shelf', id, values: { id, name } })
      for (const book of books) rows.add({ type: 'Book', id: book.id, values: { ...book, shelf: id } })
    }
    const plain = resolversOver(rows, apis.model, anonymous)
    const { typeResolver } = plain
    const fieldResolver: typeof plain.fieldResolver = (source, args, context, info) => {
      const { parentType, fieldName } = info
      const own = apis.model.resources.find(({ name }) => name === parentType.name)?.computed.has(fieldName)
      if (own === true) return raised(resultOf(fieldName, (source as Row).values.name))
      if (fieldName === 'list') return [1, null]
      return fieldName.endsWith('One') ? raised(failure()) : plain.fieldResolver(source, args, context, info)
    }
    const seen = { answered: 0, refused: 0, partial: 0, failed: 0 }
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (gen) => {
        const { text, variables } = drawDocument(new Draw(gen), schema, rows)
        const ours = await apis.graphql(text, variables)
        const document = parse(text)
        const message = `${text}\n${JSON.stringify(variables)}`
        const isValid = validate(schema, document).length === 0
        const theirs = isValid
          ? await execute({ schema, document, variableValues: variables, fieldResolver, typeResolver })
          : {}
        if (theirs.data === undefined) {
          seen.refused++
          assert.ok(ours.data === null && ours.errors.length > 0 && ours.errors.every(({ path }) => !path), message)
          return
        }
        assertSame(ours, theirs, message)
        seen[theirs.data === null ? 'failed' : ours.errors.length > 0 ? 'partial' : 'answered']++
      }),
      { numRuns: runs, endOnFailure: true, seed: propertySeed },
    )
    for (const [what, count] of Object.entries(seen)) assert.ok(count > runs / 100, `${what}: ${count}`)
  })
})

function assertSame(ours: GraphqlAnswer, theirs: ExecutionResult, message: string): void {
  const { data, errors } = ours
  assert.deepEqual(data, JSON.parse(JSON.stringify(theirs.data)), message)
  const places = new Set(errors.map(({ path }) => path?.join('.')))
  // Of several errors inside a value that becomes null, Twain reports one; graphql-js may report more.
  for (const { path = [] } of theirs.errors ?? []) {
    assert.ok(places.has(path.join('.')) || isInsideNull(data, path), `${message}: ${path.join('.')}`)
  }
  assert.equal(errors.length === 0, (theirs.errors ?? []).length === 0, message)
}

function raised(value: unknown): unknown {
  if (value instanceof Error) throw value
  return value
}

/** Whether a parent of the path, but not the place itself, is null. */
function isInsideNull(data: unknown, path: readonly (string | number)[]): boolean {
  let at = data
  for (const step of path.slice(0, -1)) {
    at = (at as Record<string | number, unknown> | null)?.[step] ?? null
    if (at === null) return true
  }
  return data === null
}
