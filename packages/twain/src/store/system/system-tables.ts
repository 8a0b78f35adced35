// How the system tables are read and changed, on either database.

import type { Query, QueryRows } from '../sql/query.ts'
import type { WriteDialect } from '../sql/write-dialect.ts'

export interface SystemTables {
  dialect: WriteDialect
  /** Reads the current rows, never a replica's. */
  read(query: Query): QueryRows | Promise<QueryRows>
  /** Runs all of the statements or none; returns the rows of each. */
  run(...statements: Query[]): Promise<QueryRows[]>
}
