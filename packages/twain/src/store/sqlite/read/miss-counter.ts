// A page that an index gives in its order takes as long as its filter turns rows away, and how many only the rows themselves
// say. So the statement counts them, by a function that its filter calls for each, and is ended when they are too many. Rows
// that pass, which are most under the rules of a contract, cost nothing; one that does not, half a microsecond.

import type { DatabaseSync } from 'node:sqlite'
import { countMissFunction } from '../../sql/where.ts'

const tooManyMisses = Symbol('too many rows were turned away')

export class MissCounter {
  #left = 0

  constructor(database: DatabaseSync) {
    database.function(countMissFunction, () => {
      if (this.#left-- <= 0) throw tooManyMisses
      return 0
    })
  }

  /** What `read` gives; undefined if its statement turns away more rows than `most`. */
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
