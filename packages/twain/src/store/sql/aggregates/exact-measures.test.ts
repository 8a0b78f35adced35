// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { numberDigits, scaledOf, scaledText } from '#base'
import type { ScalarName } from '#model'
import { type GroupedValues, openAggregates, type TestAggregates } from './aggregates.fixture.ts'

const int = fc.oneof(fc.integer({ min: -1000, max: 1000 }), fc.integer())
const wide = fc.oneof(fc.bigInt({ min: -1000n, max: 1000n }), fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n }))
const decimal = fc
  .tuple(wide, fc.oneof(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 40 })))
  .map(([units, places]) => scaledText({ units, places }))
const double = fc.oneof(
  fc.integer({ min: -100_000, max: 100_000 }).map((cents) => cents / 100),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 }).map((value) => value + 0),
  fc.tuple(fc.integer(), fc.integer({ min: 6, max: 16 })).map(([digits, zeros]) => Number(`${digits}e${zeros}`) + 0),
)

const scalars: Partial<Record<ScalarName, fc.Arbitrary<unknown>>> = {
  Int: int,
  BigInt: wide.map(String),
  Decimal: decimal,
  Float: double,
}

describe('measures', () => {
  let aggregates: TestAggregates
  before(async () => {
    aggregates = await openAggregates()
  })
  after(() => aggregates.close())

  for (const [scalar, values] of Object.entries(scalars) as [ScalarName, fc.Arbitrary<unknown>][]) {
    test(`sums and averages of ${scalar} are exact, in any order of the rows`, async () => {
      const groups = fc.sample(fc.array(fc.option(values, { freq: 10 }), { maxLength: 20 }), { numRuns: 60, seed: 7 })
      const rows = groups.flatMap((group, g) =>
        (group.length === 0 ? [null] : group).map((value) => [g, value] as const),
      )
      for (const some of [rows, rows.toReversed()]) {
        await aggregates.fill(scalar, some)
        assert.deepEqual(
          await aggregates.measure('sum'),
          perGroup(rows, (all) => written(scalar, sumOf(all), 60)),
        )
        assert.deepEqual(
          await aggregates.measure('avg'),
          perGroup(rows, (all) => written(scalar, averageOf(all), 20)),
        )
        assert.deepEqual(await aggregates.order('avg'), inOrder(rows, averageOf))
        assert.deepEqual(await aggregates.order('sum'), inOrder(rows, sumOf))
      }
    })
  }

  test('a sum goes beyond 64 bits', async () => {
    await aggregates.fill('BigInt', [
      [1, '9223372036854775807'],
      [1, '9223372036854775807'],
      [2, '-1'],
    ])
    assert.deepEqual(await aggregates.measure('sum'), ['18446744073709551614', '-1'])
    assert.deepEqual(await aggregates.having('sum', '>', '18446744073709551613'), [1])
    assert.deepEqual(await aggregates.having('sum', '=', '18446744073709551614'), [1])
  })

  test('a sum of Ints is compared with numbers beyond 64 bits', async () => {
    await aggregates.fill('Int', [
      [1, 2147483647],
      [1, 2147483647],
      [2, -5],
    ])
    assert.deepEqual(await aggregates.measure('sum'), ['4294967294', '-5'])
    assert.deepEqual(await aggregates.having('sum', '<', '9'.repeat(50)), [1, 2])
    assert.deepEqual(await aggregates.having('sum', '<', `-${'9'.repeat(50)}`), [])
    assert.deepEqual(await aggregates.having('sum', '>=', '4294967294'), [1])
  })

  test('HAVING and ORDER BY compare exact values', async () => {
    await aggregates.fill('Decimal', [
      [1, '1'],
      [1, '0'],
      [1, '0'],
      [2, '0.33333333333333333333'],
    ])
    assert.deepEqual(await aggregates.measure('avg'), ['0.33333333333333333333', '0.33333333333333333333'])
    assert.deepEqual(await aggregates.having('avg', '>', '0.33333333333333333333'), [1])
    assert.deepEqual(await aggregates.order('avg'), [2, 1])
    await aggregates.fill('Decimal', [
      [1, '9'],
      [2, '10'],
      [3, '-9'],
      [4, '-10'],
    ])
    assert.deepEqual(await aggregates.order('sum'), [4, 3, 1, 2])
  })

  test('Floats are added as their shortest decimals', async () => {
    await aggregates.fill('Float', [
      [1, 0.1],
      [1, 0.2],
      [2, 1e20],
      [2, 1.5],
      [2, -1e20],
      [3, 5e-324],
      [3, 0],
      [3, 0],
    ])
    assert.deepEqual(await aggregates.measure('sum'), [0.3, 1.5, 5e-324])
    assert.deepEqual(await aggregates.measure('avg'), [0.15, 0.5, 0])
    assert.deepEqual(await aggregates.having('sum', '=', 0.3), [1])
  })

  test('a sum of Floats beyond a double is an error of the request', async () => {
    await aggregates.fill('Float', [
      [1, 1.7e308],
      [1, 1.7e308],
      [2, 1],
    ])
    await assert.rejects(
      aggregates.measure('sum'),
      (error: { code: string; problems?: { code: string }[] }) =>
        error.code === '22003' || error.problems?.[0]?.code === 'RANGE',
    )
    assert.deepEqual(await aggregates.measure('avg'), [1.7e308, 1])
    assert.deepEqual(await aggregates.having('sum', '>', Number.MAX_VALUE), [1])
  })

  test('an average rounds a tie to the even digit', async () => {
    const digits = (last: number): string => `0.0000000000000000000${last}`
    const pairs = [digits(1), digits(3), `-${digits(1)}`, `-${digits(3)}`]
    await aggregates.fill(
      'Decimal',
      pairs.flatMap((value, group) => [[group, value] as const, [group, '0'] as const]),
    )
    assert.deepEqual(await aggregates.measure('avg'), ['0', digits(2), '0', `-${digits(2)}`])
  })

  test('the first, the last and the different values', async () => {
    await aggregates.fill('Decimal', [
      [1, '9.5'],
      [1, '10'],
      [1, '-3'],
      [1, '10'],
      [2, null],
    ])
    assert.deepEqual(await aggregates.measure('min'), ['-3', null])
    assert.deepEqual(await aggregates.measure('max'), ['10', null])
    assert.deepEqual(await aggregates.measure('countDistinct'), [3, 0])
    assert.deepEqual(await aggregates.having('min', '<', '-2.5'), [1])
    for (const [scalar, low, high] of [
      ['Float', -1e300, 0.1],
      ['DateTime', '2025-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
      ['Time', '09:30:00', '09:30:00.250'],
      ['String', 'a', 'b'],
    ] as const) {
      await aggregates.fill(scalar, [
        [1, high],
        [1, low],
        [1, null],
      ])
      assert.deepEqual([await aggregates.measure('min'), await aggregates.measure('max')], [[low], [high]])
    }
  })
})

interface Ratio {
  /** In units of ten to the power of minus 400. */
  units: bigint
  count: bigint
}

const places = 400

/** Null without a value. */
function sumOf(values: readonly unknown[]): Ratio | null {
  const present = values.filter((value) => value !== null)
  if (present.length === 0) return null
  const units = present.map((value) => {
    const scaled = scaledOf(typeof value === 'number' ? numberDigits(value) : String(value))
    return scaled.units * 10n ** BigInt(places - scaled.places)
  })
  return { units: units.reduce((sum, one) => sum + one, 0n), count: 1n }
}

function averageOf(values: readonly unknown[]): Ratio | null {
  const sum = sumOf(values)
  return sum === null ? null : { ...sum, count: BigInt(values.filter((value) => value !== null).length) }
}

function written(scalar: ScalarName, ratio: Ratio | null, digits: number): unknown {
  if (ratio === null) return null
  if (scalar === 'Float') return Number(scaledText({ units: ratio.units / ratio.count, places })) + 0
  return scaledText({ units: nearest(ratio.units, ratio.count * 10n ** BigInt(places - digits)), places: digits })
}

/** The whole number next to a fraction; of two, the even one. */
function nearest(dividend: bigint, divisor: bigint): bigint {
  const rest = ((dividend % divisor) + divisor) % divisor
  const below = (dividend - rest) / divisor
  if (2n * rest === divisor) return below % 2n === 0n ? below : below + 1n
  return 2n * rest < divisor ? below : below + 1n
}

type Measured = (values: readonly unknown[]) => Ratio | null

function perGroup<T>(rows: GroupedValues, read: (values: readonly unknown[]) => T): T[] {
  return [...valuesOf(rows).values()].map(read)
}

function valuesOf(rows: GroupedValues): Map<number, unknown[]> {
  const groups = new Map<number, unknown[]>()
  for (const [group, value] of rows) groups.set(group, [...(groups.get(group) ?? []), value])
  return groups
}

/** The groups in the order of their values, without a value last. */
function inOrder(rows: GroupedValues, measured: Measured): number[] {
  const groups = [...valuesOf(rows)].map(([group, values]) => ({ group, ratio: measured(values) }))
  groups.sort((a, b) => compare(a.ratio, b.ratio) || a.group - b.group)
  return groups.map(({ group }) => group)
}

function compare(a: Ratio | null, b: Ratio | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  const difference = a.units * b.count - b.units * a.count
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}
