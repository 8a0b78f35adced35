import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { apiErrorOf, type Json, openTestStore, type TestStore } from '../store.fixture.ts'

const sdl = `
  scalar Money
  type Page @allow {
    id: ID! slug: String @unique title: String @index text: String price: Money @unique
    first: String @unique(with: ["second"]) second: String
  }
`

describe('an indexed text', () => {
  let store: TestStore
  before(async () => {
    store = await openTestStore(sdl)
  })
  after(() => store.close())

  /** It can't be compressed: PostgreSQL would take a longer one otherwise. */
  const bytes = (count: number) => randomBytes(count).toString('base64').slice(0, count)
  const refused = async (row: Json) => {
    const error = await apiErrorOf(store.create('Page', row))
    assert.equal(error.code, 'VALIDATION_FAILED')
    return error.problems.map(({ path, code, message }) => [path, code, message])
  }

  test('has at most 2,000 bytes, on both stores', async () => {
    for (const field of ['slug', 'title']) {
      assert.deepEqual(await refused({ [field]: bytes(2001) }), [
        [field, 'LENGTH', 'must have at most 2000 bytes in UTF-8, because the field is indexed (it has 2001).'],
      ])
      assert.equal((await refused({ [field]: 'ä'.repeat(1001) }))[0]?.[1], 'LENGTH')
      const { row, id } = await store.create('Page', { [field]: bytes(2000) })
      assert.equal(String(row[field]).length, 2000)
      assert.equal((await apiErrorOf(store.update('Page', id, { [field]: 'x'.repeat(5000) }))).problems[0]?.path, field)
    }
  })

  test('shares them with the other fields of its index', async () => {
    assert.deepEqual(
      (await refused({ first: bytes(1001), second: bytes(1001) })).map(([path]) => path),
      ['first', 'second'],
    )
    await store.create('Page', { first: bytes(1000), second: bytes(1000) })
  })

  test('of a custom scalar is measured as JSON', async () => {
    assert.equal((await refused({ price: { note: bytes(2000) } }))[0]?.[0], 'price')
    await store.create('Page', { price: { amount: 5, of: 'EUR' } })
    const error = await apiErrorOf(store.create('Page', { price: { amount: 5, of: 'EUR' } }))
    assert.deepEqual([error.code, error.problems[0]?.path], ['CONFLICT', 'price'])
  })

  test('is different from one without an index, which has any length', async () => {
    const text = bytes(100_000)
    assert.equal((await store.create('Page', { text })).row.text, text)
  })
})
