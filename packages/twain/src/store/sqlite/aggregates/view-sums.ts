// `sum`, `avg` and `total` inside the SELECT of a view, exact where SQLite adds doubles. They replace SQLite's own on the connections
// that read views, also as window functions, and return what SQLite's do: a sum of integers is an integer, all else is a double.
//
// The double is the one nearest to the exact result. So it equals the literal that people compare it with in HAVING.

import type { DatabaseSync } from 'node:sqlite'
import { type Scaled, scaledText } from '#base'
import { averagePlaces } from '../../sql/aggregates/exact-values.ts'
import type { SqlValue } from '../../sql/encode.ts'
import { ExactSum } from './exact-sum.ts'

type Operand = SqlValue | bigint

const maxInteger = 2n ** 63n

export function addViewSums(database: DatabaseSync): void {
  const define = (name: string, result: (sum: NumberSum) => Operand) =>
    database.aggregate(name, {
      deterministic: true,
      useBigIntArguments: true,
      start: () => new NumberSum() as never,
      step: ((sum: NumberSum, value: Operand) => sum.add(value, 1)) as never,
      inverse: ((sum: NumberSum, value: Operand) => sum.add(value, -1)) as never,
      result: result as never,
    })
  define('sum', (sum) => (sum.count === 0 ? null : sum.total()))
  define('total', (sum) => (sum.count === 0 ? 0 : Number(sum.total())))
  define('avg', (sum) => (sum.count === 0 ? null : sum.average()))
}

class NumberSum {
  readonly #exact = new ExactSum()
  /** What no decimal is: infinite numbers. */
  #beyond = 0
  #reals = 0
  count = 0

  add(value: Operand, sign: 1 | -1): this {
    if (value === null) return this
    this.count += sign
    const number = typeof value === 'bigint' ? value : numberOf(value)
    if (typeof number === 'number') {
      this.#reals += sign
      if (Number.isFinite(number)) this.#exact.addDouble(sign * number)
      else this.#beyond += number
    } else if (number < maxSafe && number > -maxSafe) this.#exact.addDouble(sign * Number(number))
    else this.#exact.addText(String(BigInt(sign) * number))
    return this
  }

  total(): Operand {
    if (this.#beyond !== 0) return this.#beyond
    const { units, places } = this.#exact.value()
    if (this.#reals > 0) return nearest({ units, places })
    const whole = units / 10n ** BigInt(places)
    return whole < maxInteger && whole >= -maxInteger ? whole : Number(whole)
  }

  average(): Operand {
    if (this.#beyond !== 0) return this.#beyond
    const { units, places } = this.#exact.value()
    const more = averagePlaces + 20 // far more digits than a double has
    return nearest({ units: (units * 10n ** BigInt(more)) / BigInt(this.count), places: places + more })
  }
}

const maxSafe = BigInt(Number.MAX_SAFE_INTEGER)

function nearest(exact: Scaled): number {
  return Number(scaledText(exact))
}

/** SQLite adds a text as the number that it begins with. */
function numberOf(value: Exclude<SqlValue, null>): number | bigint {
  if (typeof value === 'number') return value
  const text = typeof value === 'string' ? value.trim() : ''
  return /^[+-]?\d{1,18}$/.test(text) ? BigInt(text) : Number.parseFloat(text) || 0
}
