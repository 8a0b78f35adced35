// Own code under the specification: the same documents through graphql-js's own executor, over the same rows and the same
// failing resolvers, give the same data and the same places of errors.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { buildSchema, execute, parse } from 'graphql'
import type { ComputedResolver, ServiceCode } from '../../packages/twain/src/code/define-service.ts'
import { printContract } from '../../packages/twain/src/graphql/index.ts'
import { call, type Faces, openFaces } from '../open-faces.ts'

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

/** What every field of a row gives, by the row's name. */
function given(field: string, name: unknown): unknown {
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
  return Object.fromEntries(fields.map((field) => [field, (rows) => rows.map(({ name }) => given(field, name))]))
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

describe('own code is as the specification says', () => {
  let faces: Faces
  const shelves = names.map((name) => ({
    id: name,
    name,
    books: names.map((book) => ({ id: `${name}-${book}`, name: book })),
  }))
  before(async () => {
    faces = await openFaces(sdl, { cost: 0 }, undefined, undefined, undefined, { service, onError() {} })
    for (const { id, name, books } of shelves) {
      await call(faces, 'PUT', `/shelves/${id}`, { name })
      for (const book of books) await call(faces, 'PUT', `/books/${book.id}`, { name: book.name, shelf: id })
    }
  })
  after(() => faces.close())

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
    const schema = buildSchema(printContract(faces.model))
    const own = (row: Record<string, unknown>, fields: readonly string[]): Record<string, unknown> => ({
      ...row,
      ...Object.fromEntries(fields.map((field) => [field, () => raised(given(field, row.name))])),
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
      const expected = await execute({ schema, document: parse(text), rootValue })
      const { data, errors } = await faces.graphql(text)
      assert.deepEqual(data, JSON.parse(JSON.stringify(expected.data)), text)
      const places = new Set(errors.map(({ path }) => path?.join('.')))
      // Inside of what became null as a whole, one failure is told; graphql-js may tell of more.
      for (const { path = [] } of expected.errors ?? []) {
        assert.ok(places.has(path.join('.')) || isGone(data, path), `${text}: ${path.join('.')}`)
      }
      assert.equal(errors.length === 0, (expected.errors ?? []).length === 0, text)
    }
  })
})

function raised(value: unknown): unknown {
  if (value instanceof Error) throw value
  return value
}

/** Whether something on the way there, but not the place itself, is null. */
function isGone(data: unknown, path: readonly (string | number)[]): boolean {
  let at = data
  for (const step of path.slice(0, -1)) {
    at = (at as Record<string | number, unknown> | null)?.[step] ?? null
    if (at === null) return true
  }
  return data === null
}
