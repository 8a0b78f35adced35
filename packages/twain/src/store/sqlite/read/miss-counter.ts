// Bounds the rows that a filter rejects. An index can deliver a page in order, but only the rows show how many of them the
// filter rejects. So the filter calls a function for each rejected row, which ends the statement after too many. An accepted
// row costs nothing, a rejected one half a microsecond.

import type { DatabaseSync } from 'node:sqlite'
import { countMissFunction } from '../../sql/where.ts'

const tooManyMisses = Symbol('the filter rejected too many rows')

export class MissCounter {
  #left = 0

  constructor(database: DatabaseSync) {
    database.function(countMissFunction, () => {
      if (this.#left-- <= 0) throw tooManyMisses
      return 0
    })
  }

  /** Returns the result of `read`; undefined if its statement rejects more rows than `most`. */
  run<Result>(most: number, read: () => Result): Result | undefined {
    this.#left = most
    try {
      return read()
    } catch (error) {
      if (error !== tooManyMisses) throw error
      return undefined
    }
  }
}
