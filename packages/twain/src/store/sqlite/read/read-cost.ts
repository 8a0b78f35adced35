// How much work a read may be, in the units of the estimate, and how much may be done where.

import { ApiError } from '#base'
import type { Estimate } from '../../read/estimate.ts'
import type { TableSizes } from './table-sizes.ts'

/** A row that is looked at takes about a microsecond, a wide one ten: this many stay well below 50 ms
 *  (docs/internals/decisions/0003-long-reads.md). */
const maxMainThreadCost = 2000

/** In a transaction that own code holds open. The writer can't be interrupted, and everyone waits for it. */
const maxTransactionCost = 20_000

/** Null: it is short, whatever is in the tables. */
export interface EstimatedRead {
  estimate: Estimate | null
}

export class ReadCost {
  readonly #sizes: TableSizes

  constructor(sizes: TableSizes) {
    this.#sizes = sizes
  }

  /** Whether it must not run on the main thread, nor keep the writer. */
  isLong(read: EstimatedRead, values: readonly unknown[]): boolean {
    return this.#of(read.estimate, values) > maxMainThreadCost
  }

  /** How many rows a counted read may turn away on the main thread; null when it may be long even so. */
  maxMisses({ estimate, miss }: EstimatedRead & { miss: Estimate }, values: readonly unknown[]): number | null {
    const left = maxMainThreadCost - this.#of(estimate, values)
    return left <= 0 ? null : Math.floor(left / miss(values, this.#sizes))
  }

  requireShort(read: EstimatedRead, values: readonly unknown[]): void {
    if (this.#of(read.estimate, values) <= maxTransactionCost) return
    throw new ApiError('QUERY_TOO_COSTLY', 'This may take too long inside a write, for which all others wait.', {
      hint: 'Let the code of a write ask for less: by an id, or by fields that have an index.',
    })
  }

  #of(estimate: Estimate | null, values: readonly unknown[]): number {
    return estimate === null ? 0 : estimate(values, this.#sizes)
  }
}
