// A field or type that a schema file lacks for a while, and then has again, finds its values: alone or among other edits.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestStore } from '../../packages/twain/src/store/store.fixture.ts'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'

const star = 'id: ID! name: String'
const planet = 'type Planet { id: ID! name: String! star: Star size: Int }'
const all = `type Star { ${star} magnitude: Float code: String @unique kind: Kind near: [Star!]! @relation(inverse: "far") far: [Star!]! } ${planet} enum Kind { A B }`

test('a field that is put back among other edits finds its values', async () => {
  const store = await openTestStore(all, { on: testedStore })
  await store.replace('Star', 'a', { name: 'A', magnitude: 1.5, code: 'x', kind: 'B' })
  await store.replace('Star', 'b', { name: 'B', magnitude: 2.5, code: 'y', near: ['a'] })
  const less = await store.reopenWith(`type Star { ${star} } ${planet}`, allowed)
  await less.replace('Star', 'c', { name: 'C' })
  await less.update('Star', 'b', { name: 'BB' })
  const other = await less.reopenWith(`type Star { ${star} colour: String } ${planet}`, allowed)
  const back = await other.reopenWith(all.replace(star, `${star} colour: String age: Int`), allowed)
  assert.deepEqual(await back.many('Star', { select: ['id', 'name', 'magnitude', 'code', 'kind', 'age'] }), [
    { id: 'a', name: 'A', magnitude: 1.5, code: 'x', kind: 'B', age: null },
    { id: 'b', name: 'BB', magnitude: 2.5, code: 'y', kind: null, age: null },
    { id: 'c', name: 'C', magnitude: null, code: null, kind: null, age: null },
  ])
  const [link] = await back.query('SELECT left_id, right_id FROM "Star_near"')
  assert.deepEqual({ ...link }, { left_id: 'b', right_id: 'a' })
  await back.close()
})

test('a type that is put back with other fields finds its rows', async () => {
  const store = await openTestStore(all, { on: testedStore })
  await store.replace('Star', 'a', {})
  await store.replace('Planet', 'p', { name: 'P', star: 'a', size: 7 })
  const less = await store.reopenWith(`type Star { ${star} }`, allowed)
  const changed = planet.replace('size: Int', 'size: String rings: Int')
  const back = await less.reopenWith(`type Star { ${star} } ${changed}`, allowed)
  const row = { id: 'p', name: 'P', size: null, rings: null }
  assert.deepEqual(await back.one('Planet', 'p', ['id', 'name', 'size', 'rings']), row)
  const again = await back.reopenWith(
    `type Star { ${star} } ${planet.replace('size: Int', 'size: Int rings: Int')}`,
    allowed,
  )
  assert.deepEqual(await again.one('Planet', 'p', ['id', 'name', 'size', 'rings']), { ...row, size: 7 })
  assert.equal(await again.delete('Star', 'a'), true)
  await again.close()
})

test('a field that comes back in another form is a new field', async () => {
  const store = await openTestStore(all, { on: testedStore })
  await store.replace('Star', 'a', { magnitude: 1.5 })
  const less = await store.reopenWith(`type Star { ${star} }`, allowed)
  const text = await less.reopenWith(`type Star { ${star} magnitude: String }`, allowed)
  assert.deepEqual(await text.one('Star', 'a', ['magnitude']), { magnitude: null })
  await text.update('Star', 'a', { magnitude: 'bright' })
  const filled = await text.reopenWith(`type Star { ${star} magnitude: Int! @default(value: 4) }`, allowed)
  assert.deepEqual(await filled.one('Star', 'a', ['magnitude']), { magnitude: 4 })
  await filled.close()
})

test('a required field comes back only if every row has a value', async () => {
  const required = `type Star { ${star} level: Int! }`
  const store = await openTestStore(required, { on: testedStore })
  await store.replace('Star', 'a', { level: 3 })
  const less = await store.reopenWith(`type Star { ${star} }`, allowed)
  const back = await less.reopenWith(required.replace('level', 'age: Int level'), allowed)
  assert.deepEqual(await back.one('Star', 'a', ['level']), { level: 3 })
  const again = await back.reopenWith(`type Star { ${star} age: Int }`, allowed)
  await again.replace('Star', 'b', {})
  await assert.rejects(
    again.reopenWith(required.replace('level', 'height: Int level'), allowed),
    /level is new and required/,
  )
  await (await again.reopenWith(`type Star { ${star} age: Int }`)).close()
})

test('what was dropped does not come back, and no longer prevents a delete', async () => {
  const required = all.replace('star: Star', 'star: Star!')
  const store = await openTestStore(required, { on: testedStore })
  await store.replace('Star', 'a', { magnitude: 1.5 })
  await store.replace('Planet', 'p', { name: 'P', star: 'a' })
  const sdl = `type Star { ${star} }`
  const less = await store.reopenWith(sdl, allowed)
  await assert.rejects(less.delete('Star', 'a'), /does not know refer to it/)
  await less.migrateAndDrop(sdl)
  const dropped = await less.reopenWith(sdl)
  const back = await dropped.reopenWith(required.replace(star, `${star} age: Int`), allowed)
  assert.deepEqual(await back.one('Star', 'a', ['magnitude']), { magnitude: null })
  assert.deepEqual(await back.many('Planet'), [])
  assert.equal(await back.delete('Star', 'a'), true)
  await back.close()
})

const allowed = { allowBreaking: true }
