import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { apiErrorOf, onEachStore, openTestStore, type TestStore } from '../../store.fixture.ts'

onEachStore('numbers that an update adds', (on) => {
  let store: TestStore
  before(async () => {
    store = await openTestStore(
      `type Part {
        id: ID! name: String whole: Int exact: Decimal @constraint(min: -1) big: BigInt real: Float
        since: DateTime @auto(set: UPDATE_TIME)
      }`,
      { on },
    )
  })
  after(() => store.close())

  test('are added exactly, whatever the type of the number', async () => {
    const long = `0.${'1'.repeat(198)}`
    const { id } = await store.create('Part', { whole: 2147483646, exact: long, big: '-9007199254740993', real: 0.1 })
    const amounts = { whole: 1, exact: `0.${'2'.repeat(198)}`, big: '9007199254740994', real: 0.2 }
    const { row, version } = await store.update('Part', id, { _increment: amounts, name: 'x' })
    assert.deepEqual(
      [row.whole, row.exact, row.big, row.real, row.name, version],
      [2147483647, `0.${'3'.repeat(198)}`, '1', 0.1 + 0.2, 'x', 2],
    )
  })

  test('are logged with the sum and the number before it', async () => {
    const { id } = await store.create('Part', { whole: 4 })
    await store.update('Part', id, { _increment: { whole: -5 } })
    const { after: image, before: previous } = (await store.changes()).at(-1) as Record<string, Record<string, unknown>>
    assert.deepEqual([image!.whole, previous!.whole], [-1, 4])
  })

  test('keep null, and make no version where nothing changes', async () => {
    const { id } = await store.create('Part', {})
    const { row, version } = await store.update('Part', id, { _increment: { whole: 1, exact: '1', real: 1 } })
    assert.deepEqual([row.whole, row.exact, row.real, version], [null, null, null, 1])
  })

  test('are reported together, at their places, where a sum is not allowed', async () => {
    const { id } = await store.create('Part', { whole: -2147483648, exact: '-0.5' })
    const error = await apiErrorOf(store.update('Part', id, { _increment: { whole: -1, exact: '-0.51' } }))
    assert.equal(error.code, 'CONFLICT')
    assert.deepEqual(
      error.problems.map(({ path, code, message }) => `${path} ${code} ${message}`),
      [
        '_increment.whole RANGE must be between -2147483648 and 2147483647 (32 bits), and would be -2147483649.',
        '_increment.exact RANGE must be at least -1, and would be -1.01.',
      ],
    )
    assert.equal((await store.one('Part', id))!.whole, -2147483648)
  })
})
