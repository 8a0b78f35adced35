import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel, type StoredField } from '#model'
import { findRenames } from '#model/compare'
import { layOut, StorageTypeNames } from './layout.ts'
import { fromStorage, toStorage } from './storage-codes.ts'
import { renameStorageNames, type StorageNames } from './storage-names.ts'

const load = (sdl: string) => loadModel(sdl, 'a.graphql')
const first = 'type A { id: ID! x: Int v: V e: [E!] as: [A!]! } type V { n: Int k: E } enum E { P Q }'
const next = `type B @was(name: "A") { id: ID! y: Int @was(name: "x") v: V e: [E!] bs: [B!]! @was(name: "as") }
  type V { m: Int @was(name: "n") k: E } enum E { R @was(name: "P") Q }`

function follow(names: StorageNames, before: string, after: string): StorageNames {
  const renamed = structuredClone(names)
  renameStorageNames(renamed, findRenames(load(before), load(after)))
  return layOut(load(after), renamed).names
}

test('a rename keeps tables, columns and links, and records the stored names', () => {
  const { names } = layOut(load(first), null)
  const renamed = follow(names, first, next)
  const { x, ...others } = names.tables.A!.columns
  assert.deepEqual(renamed.tables.B, { name: 'A', columns: { ...others, y: x }, type: 'A' })
  assert.deepEqual(renamed.links, { 'B.bs': names.links['A.as'] })
  assert.deepEqual(renamed.codes, { V: { m: 'n' }, E: { R: 'P' } })
})

test('renaming back leaves nothing behind', () => {
  const { names } = layOut(load(first), null)
  assert.deepEqual(follow(follow(names, first, next), next, first), names)
})

test('rows store values under their storage names, and return them under the current ones', () => {
  const model = load(next)
  const { names } = layOut(load(first), null)
  renameStorageNames(names, findRenames(load(first), model))
  const { layout } = layOut(model, names)
  const typeOf = (field: string) => (model.resources[0]!.fields.get(field) as StoredField).type
  const value = { m: 1, k: 'R' }
  assert.deepEqual(toStorage(value, typeOf('v'), layout.codes), { n: 1, k: 'P' })
  assert.deepEqual(fromStorage({ n: 1, k: 'P' }, typeOf('v'), layout.codes), value)
  assert.deepEqual(toStorage(['R', 'Q'], typeOf('e'), layout.codes), ['P', 'Q'])
  const types = new StorageTypeNames(layout)
  assert.deepEqual([types.stored('B'), types.current('A'), types.current('Gone')], ['A', 'B', 'Gone'])
})

test('a new value with the previous name of another gets a different storage name', () => {
  const { names } = layOut(load(first), null)
  const renamed = follow(names, first, next)
  const more = load(
    `${next.replaceAll(/ @was\(name: "\w+"\)/g, '').replace('{ R Q }', '{ P R Q }')} type A { id: ID! }`,
  )
  const { layout, names: assigned } = layOut(more, renamed)
  assert.deepEqual(assigned.codes!.E, { R: 'P', P: 'P_2' })
  assert.equal(new StorageTypeNames(layout).stored('A'), 'A_2')
})
