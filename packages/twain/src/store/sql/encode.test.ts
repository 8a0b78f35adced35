import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import type { StoredType } from '#model'
import { apiErrorOf, type Json, onEachStore, openTestStore, type TestStore } from '../store.fixture.ts'
import { noStorageCodes } from '../tables/storage-codes.ts'
import { decodeColumn, encodeColumn, type SqlValue } from './encode.ts'

onEachStore('a written value reads back', (on) => {
  let store: TestStore
  before(async () => {
    store = await openTestStore(
      `
      type All {
        id: ID! int: Int float: Float text: String flag: Boolean ref: ID day: Date time: DateTime json: JSON
        exact: Decimal big: BigInt mood: Mood own: Own
        ints: [Int!] floats: [Float!] texts: [String] flags: [Boolean!] bigs: [BigInt!] owns: [Own] grid: [[Float!]!]
        value: Value values: [Value]
      }
      type Value { float: Float floats: [Float!] exact: Decimal flag: Boolean json: JSON inner: Value }
      enum Mood { GOOD BAD }
      scalar Own
    `,
      { on },
    )
  })
  after(() => store.close())

  const backAndForth = async (input: Json): Promise<Json> => {
    const { id, row } = await store.create('All', input)
    const names = Object.keys(input)
    const read = await store.one('All', id, names)
    assert.deepEqual(read, Object.fromEntries(names.map((name) => [name, row[name]])))
    return read!
  }

  const double = fc.double({ noNaN: true, noDefaultInfinity: true })
  const hard = [
    0.1 + 0.2,
    5e-324,
    1.7976931348623157e308,
    2.2250738585072014e-308,
    2 ** 60,
    1e21,
    -1e-7,
    123456789012345680000,
  ]

  async function keepsBits(number: number): Promise<void> {
    const stored = number + 0 // −0 becomes 0
    const input = { float: number, floats: [number, 1], value: { float: number, floats: [number] }, json: [number] }
    const { id } = await store.create('All', input)
    const row = await store.one('All', id)
    assert.ok(Object.is(row!.float, stored))
    assert.deepEqual(row!.floats, [stored, 1])
    assert.deepEqual(row!.json, [stored])
    const value = row!.value as { float: number; floats: number[] }
    assert.ok(Object.is(value.float, stored) && Object.is(value.floats[0], stored))
    const same = [
      { float: { eq: number } },
      { float: { in: [number, 7] } },
      { float: { gte: number, lte: number } },
      { floats: { contains: number } },
      { floats: { eq: [number, 1] } },
      { value: { float: { eq: number } } },
      { value: { float: { in: [number] } } },
      { value: { floats: { contains: number } } },
    ]
    for (const where of same) {
      const found = await store.many('All', { where: { and: [{ id: { eq: id } }, where] }, select: ['id'] })
      assert.deepEqual(found, [{ id }], `${number} is not found by ${JSON.stringify(where)}`)
    }
    const away = [{ float: { ne: number } }, { float: { notIn: [number] } }, { value: { float: { lt: number } } }]
    for (const where of away)
      assert.deepEqual(await store.many('All', { where: { and: [{ id: { eq: id } }, where] } }), [])
  }

  test('a Float with every bit, in every position and selection', async () => {
    for (const number of [...hard, -0]) await keepsBits(number)
    await fc.assert(fc.asyncProperty(double, keepsBits), { numRuns: 60, seed: 1 })
  })

  test('Floats in their order', async () => {
    const numbers = [...hard, 0, -5e-324, -1, 1]
    const ids = await Promise.all(numbers.map(async (float) => (await store.create('All', { float })).id))
    const rows = await store.many('All', { where: { id: { in: ids } }, order: ['float'], limit: 50, select: ['float'] })
    assert.deepEqual(
      rows.map(({ float }) => float),
      numbers.toSorted((a, b) => a - b),
    )
  })

  test('Decimal and BigInt with every digit, in the order of numbers', async () => {
    const texts = [
      '-1000',
      '-10.5',
      '-10',
      '-9.99',
      '-0.5',
      '0',
      '0.05',
      '0.5',
      '9',
      '10',
      '10.5',
      '10.55',
      '99999999999999999999.000001',
    ]
    const ids = await Promise.all(texts.toReversed().map(async (exact) => (await store.create('All', { exact })).id))
    const where = { id: { in: ids } }
    const rows = await store.many('All', { where, order: ['exact'], select: ['exact'] })
    assert.deepEqual(
      rows.map(({ exact }) => exact),
      texts,
    )
    for (const [index, exact] of texts.entries()) {
      const below = await store.many('All', { where: { ...where, exact: { lt: exact } }, select: ['exact'] })
      assert.equal(below.length, index)
    }
    assert.deepEqual(
      await backAndForth({ exact: '007.500', big: '-9007199254740993', bigs: ['12345678901234567890123'] }),
      {
        exact: '7.5',
        big: '-9007199254740993',
        bigs: ['12345678901234567890123'],
      },
    )
  })

  test('booleans, integers, times, enums, texts and null unchanged', async () => {
    const input = {
      int: -2147483648,
      text: `"'\\\n\u2028 é 𝒳 }`,
      flag: false,
      ref: '007',
      day: '2024-02-29',
      time: '2026-01-31T09:30:00.120+01:00',
      mood: 'BAD',
      own: null,
      ints: [2147483647],
      texts: ['', null, '"'],
      flags: [true, false],
    }
    assert.deepEqual(await backAndForth(input), { ...input, time: '2026-01-31T08:30:00.120Z' })
  })

  test('JSON of any form, a custom scalar, empty lists and objects', async () => {
    const forms = [0, '', false, [], {}, { a: [null, { b: 1.5 }] }, 'null', ['x', 1, true, null]]
    for (const json of forms) assert.deepEqual((await backAndForth({ json })).json, json)
    for (const own of forms) assert.deepEqual((await backAndForth({ own, owns: [own, null] })).owns, [own, null])
    assert.deepEqual(await backAndForth({ ints: [], texts: [], values: [], grid: [[], [1]] }), {
      ints: [],
      texts: [],
      values: [],
      grid: [[], [1]],
    })
  })

  test('values inside values, with missing members as null', async () => {
    const none = { float: null, floats: null, exact: null, flag: null, json: null }
    const { value, values } = await backAndForth({
      value: { flag: false, inner: { exact: '1.50', json: { x: [] }, inner: { float: 1 } } },
      values: [null, {}],
    })
    assert.deepEqual(value, {
      ...none,
      flag: false,
      inner: { ...none, exact: '1.5', json: { x: [] }, inner: { ...none, float: 1 } },
    })
    assert.deepEqual(values, [null, { ...none, inner: null }])
  })

  test('a NUL character never reaches the store', async () => {
    const error = await apiErrorOf(store.create('All', { text: 'a\0b', json: { x: '\0' } }))
    assert.deepEqual(
      error.problems.map(({ path }) => path),
      ['text', 'json.x'],
    )
  })
})

test('a column returns the canonical value that was stored', () => {
  const types: [StoredType, unknown, SqlValue][] = [
    [{ kind: 'scalar', name: 'Boolean' }, true, 1],
    [{ kind: 'scalar', name: 'Boolean' }, false, 0],
    [{ kind: 'scalar', name: 'Decimal' }, '-1.5', '099884~ -1.5'],
    [{ kind: 'scalar', name: 'BigInt' }, '12', '100212 12'],
    [{ kind: 'scalar', name: 'JSON' }, { a: 1 }, '{"a":1}'],
    [{ kind: 'list', of: { kind: 'scalar', name: 'Int' }, itemRequired: true }, [1, 2], '[1,2]'],
    [{ kind: 'scalar', name: 'String' }, 'x', 'x'],
    [{ kind: 'scalar', name: 'Float' }, null, null],
  ]
  for (const [type, value, stored] of types) {
    assert.equal(encodeColumn(value, type, noStorageCodes), stored)
    assert.deepEqual(decodeColumn(stored, type, noStorageCodes), value)
  }
})
