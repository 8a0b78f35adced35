// Our own tables in a database, whichever that is: how they are read and changed.

import type { Query, QueryRows } from '../sql/query.ts'
import type { WriteDialect } from '../sql/write-dialect.ts'

export interface SystemTables {
  dialect: WriteDialect
  /** As of now. */
  read(query: Query): QueryRows | Promise<QueryRows>
  /** All of the statements or none; gives the rows of each. */
  run(...statements: Query[]): Promise<QueryRows[]>
}
