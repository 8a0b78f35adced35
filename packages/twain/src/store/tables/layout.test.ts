import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { openTestStore } from '../store.fixture.ts'
import { layOut, linksOf } from './layout.ts'
import { unknownReferences } from './stored-references.ts'

const layOutSdl = (sdl: string, previous: Parameters<typeof layOut>[1] = null) =>
  layOut(loadModel(sdl, 'test.graphql'), previous)

test('tables and columns have the names of the schema file', () => {
  const { names } = layOutSdl(`
    type User { id: ID! name: String posts: [Post!]! }
    type Post { id: ID! author: User tags: [Tag!]! }
    type Tag { id: ID! posts: [Post!]! }
  `)
  assert.deepEqual(names, {
    tables: {
      User: { name: 'User', columns: { name: { name: 'name', type: null, keyed: 1 } } },
      Post: { name: 'Post', columns: { author: { name: 'author', type: null } } },
      Tag: { name: 'Tag', columns: {} },
    },
    links: { 'Post.tags': { name: 'Post_tags', left: 'left_id', right: 'right_id', rightType: null } },
    references: [
      { table: 'Post', column: 'author', typeColumn: null, to: 'User', of: 'Post', onDelete: 'SET_NULL' },
      { table: 'Post_tags', column: 'left_id', typeColumn: null, to: 'Post', of: null, onDelete: 'UNLINK' },
      { table: 'Post_tags', column: 'right_id', typeColumn: null, to: 'Tag', of: null, onDelete: 'UNLINK' },
    ],
  })
})

test('references of earlier schemas stay in the list, and layouts tell which of them they do not know', () => {
  const before = layOutSdl(
    'type User { id: ID! } type Post { id: ID! author: User! about: Any } union Any = User | Post',
  )
  const { layout, names } = layOut(loadModel('type User { id: ID! }', ''), before.names)
  const expected = [
    { table: 'Post', column: 'author', typeColumn: null, to: 'User', of: 'Post', onDelete: 'RESTRICT' },
    { table: 'Post', column: 'about', typeColumn: 'about_type', to: null, of: 'Post', onDelete: 'SET_NULL' },
  ]
  assert.deepEqual(names.references, expected)
  assert.deepEqual(unknownReferences(layout.references, layout), expected)
  assert.deepEqual(unknownReferences(before.layout.references, before.layout), [])
})

test('names that differ only by case, or that Twain reserves, get another storage name', () => {
  const { names } = layOutSdl(`
    type Post { id: ID! ID: Int name: String Name: String about: Any about_type: Int tags: [Tag!]! }
    type POST @resource(path: "others") { id: ID! }
    type Post_tags { id: ID! }
    type Tag { id: ID! }
    type twain_change { id: ID! }
    type sqlite_master { id: ID! }
    union Any = Post | Tag
  `)
  const tables = Object.values(names.tables).map(({ name }) => name)
  assert.deepEqual(tables, ['Post', 'POST_2', 'Post_tags', 'Tag', 't_twain_change', 't_sqlite_master'])
  assert.equal(names.links['Post.tags']!.name, 'Post_tags_2')
  assert.deepEqual(Object.values(names.tables.Post!.columns), [
    { name: 'ID_2', type: null },
    { name: 'name', type: null, keyed: 1 },
    { name: 'Name_2', type: null, keyed: 1 },
    { name: 'about', type: 'about_type' },
    { name: 'about_type_2', type: null },
  ])
})

test('assigned names stay, and a new field never gets one of them', () => {
  const { names: previous } = layOutSdl('type A { id: ID! x: Int X: Int }')
  const { names } = layOutSdl('type A { id: ID! X: Int x_2: String } type B { id: ID! }', previous)
  assert.deepEqual(names.tables.A!.columns, {
    x: { name: 'x', type: null },
    X: { name: 'X_2', type: null },
    x_2: { name: 'x_2_2', type: null, keyed: 1 },
  })
  assert.deepEqual(previous.tables.B, undefined)
})

test('a type may have the name of a member of Object.prototype', () => {
  const { names } = layOutSdl('type constructor { id: ID! toString: Int valueOf: Int }')
  const [[type, table] = []] = Object.entries(names.tables)
  assert.deepEqual([type, table?.name], ['constructor', 'constructor'])
  assert.deepEqual(Object.keys(table!.columns), ['toString', 'valueOf'])
})

test('a link with two sides has one table', () => {
  const model = loadModel('type A { id: ID! bs: [B!]! } type B { id: ID! as: [A!]! }', 'test.graphql')
  assert.equal(linksOf(model).size, 1)
})

test('rows of a schema with awkward names are written, read, filtered and sorted', async () => {
  const store = await openTestStore(`
    type Select { id: ID! from: String where: Int rowid: Int oid: String Group: Int group: Int order: Select table: [Index!]! }
    type Index { id: ID! select: [Select!]! }
    type twain_x { id: ID! t1: Int k0: Int type: String value: [Int!] }
    type SELECT @resource(path: "others") { id: ID! }
    union Union = Select | twain_x
  `)
  await store.replace('Index', 'i', {})
  const input = { from: 'f', where: 1, rowid: 3, oid: 'o', Group: 4, group: 5, table: ['i'] }
  await store.replace('Select', 's', { ...input })
  await store.update('Select', 's', { order: 's' })
  await store.replace('twain_x', 'x', { t1: 1, k0: 2, type: 'T', value: [1] })
  await store.replace('SELECT', 's', {})
  const { table: _, ...own } = input
  assert.deepEqual(await store.one('Select', 's'), { id: 's', ...own, order: 's' })
  const where = {
    Group: { eq: 4 },
    rowid: { gt: 2 },
    order: { group: { eq: 5 } },
    table: { some: { id: { eq: 'i' } } },
  }
  assert.deepEqual(
    await store.many('Select', { where, order: ['-rowid', 'where'], select: ['where', { table: ['id'] }] }),
    [{ where: 1, table: [{ id: 'i' }] }],
  )
  assert.deepEqual(
    await store.many('twain_x', { where: { value: { contains: 1 } }, order: ['type', 'k0'], select: ['type'] }),
    [{ type: 'T' }],
  )
  assert.deepEqual(await store.many('Union', { byType: { Select: ['from'], twain_x: ['t1'] } }), [
    { from: 'f' },
    { t1: 1 },
  ])
  await store.close()
})
