import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { layOut } from '../tables/layout.ts'
import type { ServedSchema } from '../tables/refuse-breaking.ts'
import type { StorageNames } from '../tables/storage-names.ts'
import { type CatalogColumn, type CatalogTable, tablesToCopy } from './stored-tables.ts'

const plain = { required: false, fallback: null, references: null }
const text = (name: string): CatalogColumn => ({ ...plain, name, kind: 'text', isAmbiguous: true })
const number = (name: string): CatalogColumn => ({ ...plain, name, kind: 'integer', isAmbiguous: true })
const table = (name: string, ...columns: CatalogColumn[]): CatalogTable => ({ name, columns, primaryKey: ['id'] })

function served(sdl: string, previous: StorageNames | null = null): ServedSchema {
  return { sdl, names: layOut(loadModel(sdl, ''), previous).names }
}

function columnsOf(catalog: CatalogTable[], schemas: ServedSchema[], unfinished: StorageNames | null = null) {
  const { tables, leftBehind } = tablesToCopy(catalog, schemas, unfinished)
  const columns = tables.flatMap(({ name, columns }) =>
    columns.map((column) => [`${name}.${column.name}`, column.kind]),
  )
  return { columns, leftBehind }
}

test('the schema that created a column tells its kind, also when a later one does not know it', () => {
  const first = served('type Note { id: ID! }')
  const second = served('type Note { id: ID!, tags: [String!], done: Boolean, big: BigInt }', first.names)
  const third: ServedSchema = { sdl: first.sdl, names: structuredClone(second.names) }
  const columns = third.names.tables.Note!.columns
  for (const field of ['tags', 'done', 'big']) {
    columns[`-${field}`] = columns[field]!
    delete columns[field]
  }
  const catalog = [table('Note', text('id'), text('tags'), number('done'), text('big'))]
  assert.deepEqual(columnsOf(catalog, [third, second, first]), {
    columns: [
      ['Note.id', 'text'],
      ['Note.tags', 'json'],
      ['Note.done', 'boolean'],
      ['Note.big', 'text'],
    ],
    leftBehind: [],
  })
})

test('a schema that this Twain no longer accepts is skipped', () => {
  const now = served('type Note { id: ID! }')
  const refused: ServedSchema = { sdl: 'type Note @gone { id: ID!, tags: JSON }', names: now.names }
  assert.deepEqual(columnsOf([table('Note', text('id'), text('tags'))], [now, refused]).columns, [
    ['Note.id', 'text'],
    ['Note.tags', 'text'],
  ])
})

test('what an interrupted migration has created is not copied', () => {
  const now = served('type Note { id: ID! }')
  const started = served('type Note { id: ID!, more: String, links: [Note!]! } type Page { id: ID! }', now.names)
  const catalog = [
    table('Note', text('id'), text('more')),
    table('Note_links', text('left_id')),
    table('Page', text('id')),
  ]
  assert.deepEqual(columnsOf(catalog, [now], started.names), { columns: [['Note.id', 'text']], leftBehind: [] })
})

test('tables of somebody else, and their columns that the other database can not store, stay behind', () => {
  const now = served('type Note { id: ID! }')
  const point: CatalogColumn = { ...plain, name: 'place', kind: null, isAmbiguous: false }
  const catalog = [table('Note', text('id'), point, text('remark'), text('_words')), table('ledger', text('id'))]
  assert.deepEqual(columnsOf(catalog, [now]), {
    columns: [
      ['Note.id', 'text'],
      ['Note.remark', 'text'],
    ],
    leftBehind: ['column Note.place', 'table ledger'],
  })
})

test('of system tables everything is copied, except for what each database has of its own', () => {
  const catalog = [table('twain_change', number('n'), number('seq'), text('by')), table('twain_log', text('id'))]
  assert.deepEqual(columnsOf(catalog, [served('type Note { id: ID! }')]).columns, [
    ['twain_change.seq', 'integer'],
    ['twain_change.by', 'text'],
  ])
})
