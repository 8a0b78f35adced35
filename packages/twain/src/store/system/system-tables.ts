// Our own tables in a database, whichever that is: how they are read and changed.

import type { Query, Rows } from '../sql/query.ts'
import type { WriteDialect } from '../sql/write-dialect.ts'

export interface OwnTables {
  dialect: WriteDialect
  /** As of now. */
  read(query: Query): Rows | Promise<Rows>
  /** All of the statements or none; gives the rows of each. */
  run(...statements: Query[]): Promise<Rows[]>
}
