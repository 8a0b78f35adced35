import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { apiErrorOf, openTestStore, type TestStore } from '../../store.fixture.ts'

const sdl = `
  scalar Money
  type Page @allow { id: ID! slug: String @unique title: String @index text: String price: Money @unique }
`

describe('texts on PostgreSQL', () => {
  let store: TestStore
  before(async () => {
    store = await openTestStore(sdl, { on: 'postgres' })
  })
  after(() => store.close())

  const long = () => randomBytes(6000).toString('base64') // it can’t be compressed

  test('that are too long for an index are refused at their field, and nothing is written', async () => {
    for (const field of ['slug', 'title']) {
      const error = await apiErrorOf(store.create('Page', { [field]: long() }))
      assert.equal(error.code, 'VALIDATION_FAILED')
      assert.deepEqual(
        error.problems.map(({ path, code }) => [path, code]),
        [[field, 'LENGTH']],
      )
    }
    const { id } = await store.create('Page', { slug: 'short' })
    assert.equal((await apiErrorOf(store.update('Page', id, { slug: long() }))).problems[0]?.path, 'slug')
    assert.equal((await store.query('SELECT id FROM "Page"')).length, 1)
    assert.equal((await store.one('Page', id))?.slug, 'short')
  })

  test('of any length are stored in a field without an index', async () => {
    const text = long().repeat(20)
    assert.equal((await store.create('Page', { text })).row.text, text)
  })

  test('of a custom scalar, which is stored as JSON, may be unique', async () => {
    await store.create('Page', { price: { amount: 5, of: 'EUR' } })
    const error = await apiErrorOf(store.create('Page', { price: { amount: 5, of: 'EUR' } }))
    assert.deepEqual([error.code, error.problems[0]?.path], ['CONFLICT', 'price'])
    await store.create('Page', { price: { amount: 6, of: 'EUR' } })
  })
})
