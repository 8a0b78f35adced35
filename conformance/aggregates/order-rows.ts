// The rows that aggregates are drawn over: random ones with nulls, and with values at the limits of their types.

import fc from 'fast-check'

export const sdl = `
  enum Status { OPEN PAID SENT }
  type Customer @allow { id: ID! name: String! country: String orders: [Order!]! }
  type Order @allow {
    id: ID! status: Status! whole: Int big: BigInt total: Decimal weight: Float code: String isGift: Boolean
    placed: DateTime day: Date at: Time customer: Customer
  }
`

export interface OrderRow {
  status: string
  whole: number | null
  big: string | null
  total: string | null
  weight: number | null
  code: string | null
  isGift: boolean | null
  placed: string | null
  day: string | null
  at: string | null
  customer: string | null
}

/** The countries of the customers, by id. */
export const customers: Readonly<Record<string, string | null>> = { c1: 'NO', c2: 'PT', c3: null, c4: 'NO' }

/** Days on which clocks change somewhere, and the ends of years. */
const edgeDays = ['2026-03-29', '2026-10-25', '2026-04-05', '2026-10-04', '2025-12-31', '2026-12-31', '2011-12-30']

const moment = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2027, 0) }) },
  { weight: 1, arbitrary: fc.integer({ min: Date.UTC(1950, 0), max: Date.UTC(2090, 0) }) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom(...edgeDays), fc.integer({ min: -28, max: 76 }), fc.constantFrom(0, -1))
      .map(([day, half, more]) => Date.parse(`${day}T00:00:00Z`) + half * 1_800_000 + more),
  },
)

const row: fc.Arbitrary<OrderRow> = fc.record({
  status: fc.constantFrom('OPEN', 'PAID', 'SENT'),
  whole: orNull(fc.oneof(fc.integer({ min: -3, max: 3 }), fc.integer())),
  big: orNull(
    fc.oneof(fc.bigInt({ min: -20n, max: 20n }), fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n })).map(String),
  ),
  total: orNull(
    fc.oneof(
      { weight: 3, arbitrary: fc.integer({ min: -999, max: 99_999 }).map((cents) => decimal(BigInt(cents), 2)) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.bigInt({ min: -(10n ** 50n), max: 10n ** 50n }), fc.integer({ min: 0, max: 30 }))
          .map(([units, places]) => decimal(units, places)),
      },
    ),
  ),
  weight: orNull(
    fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: -9999, max: 9999 }).map((units) => units / 1000) },
      { weight: 2, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e25, max: 1e25 }) },
      { weight: 1, arbitrary: fc.constantFrom(1.7e308, -1.6e308, 5e-324, 1.73606004e20, 2 ** 53) },
    ),
  ).map((value) => (value === null ? null : value + 0)),
  code: orNull(fc.constantFrom('a', 'b', 'ab', 'b2', 'zz', 'B', 'É', 'Ab', 'Äb', 'e')),
  isGift: orNull(fc.boolean()),
  placed: orNull(moment.map((time) => new Date(time).toISOString())),
  day: orNull(moment.map((time) => new Date(time).toISOString().slice(0, 10))),
  at: orNull(fc.constantFrom('09:30:00', '09:30:00.250', '23:59:59')),
  customer: orNull(fc.constantFrom(...Object.keys(customers))),
})

function orNull<T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.option(values, { freq: 8 })
}

/** The canonical text of `units` of ten to the power of minus `places`. */
export function decimal(units: bigint, places: number): string {
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0')
  const text = `${digits.slice(0, digits.length - places)}.${digits.slice(digits.length - places)}`
  return `${units < 0n ? '-' : ''}${text.replace(/\.?0*$/, '')}`
}

export function orderRows(count: number, seed: number): OrderRow[] {
  return fc.sample(row, { numRuns: count, seed })
}
