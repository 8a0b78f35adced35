// The cost of a read, in the units of the estimate, the maximum cost for each place, and the count of rejected rows.

import type { DatabaseSync } from 'node:sqlite'
import { ApiError } from '#base'
import type { Estimate } from '../../read/estimate.ts'
import { countMissFunction } from '../../sql/where.ts'
import type { TableSizes } from './table-sizes.ts'

/** A visited row takes about a microsecond, a wide one ten: this many stay well below 50 ms
 *  (docs/internals/decisions/0003-long-reads.md). */
const maxMainThreadCost = 2000

/** In a transaction of custom code. The writer can't be interrupted, and all other writes wait for it. */
const maxTransactionCost = 20_000

/** Null: the read is always short. */
export interface EstimatedRead {
  estimate: Estimate | null
}

export class ReadCost {
  readonly #sizes: TableSizes

  constructor(sizes: TableSizes) {
    this.#sizes = sizes
  }

  /** Whether the read must not block the main thread or the writer. */
  isLong(read: EstimatedRead, values: readonly unknown[]): boolean {
    return this.#of(read.estimate, values) > maxMainThreadCost
  }

  /** How many rows a counted read may reject on the main thread; null if it may be long even so. */
  maxMisses({ estimate, miss }: EstimatedRead & { miss: Estimate }, values: readonly unknown[]): number | null {
    const left = maxMainThreadCost - this.#of(estimate, values)
    return left <= 0 ? null : Math.floor(left / miss(values, this.#sizes))
  }

  requireShort(read: EstimatedRead, values: readonly unknown[]): void {
    if (this.#of(read.estimate, values) <= maxTransactionCost) return
    throw new ApiError('QUERY_TOO_COSTLY', 'This read may take too long inside a write: other writes wait for it.', {
      hint: 'Read less in the code of a write: by an id, or by fields that have an index.',
    })
  }

  #of(estimate: Estimate | null, values: readonly unknown[]): number {
    return estimate === null ? 0 : estimate(values, this.#sizes)
  }
}

const tooManyMisses = Symbol('the filter rejected too many rows')

/** Bounds the rows that a filter rejects. An index can deliver a page in order, but only the rows show how many of them the
 *  filter rejects. So the filter calls a function for each rejected row, which ends the statement after too many. An accepted
 *  row costs nothing, a rejected one half a microsecond. */
export class MissCounter {
  #left = 0

  constructor(database: DatabaseSync) {
    database.function(countMissFunction, () => {
      if (this.#left-- <= 0) throw tooManyMisses
      return 0
    })
  }

  /** Returns the result of `read`; undefined if its statement rejects more rows than `maxMisses`. */
  run<Result>(maxMisses: number, read: () => Result): Result | undefined {
    this.#left = maxMisses
    try {
      const result = read()
      // The exception may be lost (`connect/function-error.ts`).
      return this.#left < 0 ? undefined : result
    } catch (error) {
      if (error !== tooManyMisses) throw error
      return undefined
    }
  }
}
