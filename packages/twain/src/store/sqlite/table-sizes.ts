// How many rows each table has, asked anew at most once a second.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Link, Resource } from '#model'
import { name } from '../compile/statement.ts'
import type { Sizes } from '../estimate.ts'
import type { Layout } from '../layout.ts'

const sizesLast = 1000

export class TableSizes implements Sizes {
  readonly #statements: [Resource | Link, StatementSync][]
  readonly #rows = new Map<Resource | Link, number>()
  #asked = -sizesLast

  constructor(database: DatabaseSync, layout: Layout) {
    this.#statements = [...layout.tables, ...layout.links].map(([of, table]) => [
      of,
      database.prepare(`SELECT max(_n) AS rows FROM ${name(table.name)}`),
    ])
  }

  rows(of: Resource | Link): number {
    if (performance.now() - this.#asked > sizesLast) this.#ask()
    return this.#rows.get(of)!
  }

  #ask(): void {
    this.#asked = performance.now()
    for (const [of, statement] of this.#statements) {
      this.#rows.set(of, Number((statement.get() as { rows: number | null }).rows ?? 0))
    }
  }
}
