// How the system tables are read and changed, on either database: SQL texts that both share.

import type { SqlValue } from '../sql/encode.ts'
import type { Query, QueryRows } from '../sql/query.ts'
import type { WriteDialect } from '../sql/write-dialect.ts'
import type { StoreClock } from '../store-clock.ts'

export interface SystemTables {
  dialect: WriteDialect
  clock: StoreClock
  /** Reads the current rows, never a replica's. */
  read(query: Query): QueryRows | Promise<QueryRows>
  /** Runs all of the statements or none; returns the rows of each. */
  run(...statements: Query[]): Promise<QueryRows[]>
}

/** The text has placeholders like `?1`. */
export type SystemQuery = (text: string, ...parameters: SqlValue[]) => Query

/** The texts are few constants: each is translated to the dialect once. */
export function systemQuery(dialect: WriteDialect): SystemQuery {
  const texts = new Map<string, string>()
  return (text, ...parameters) => {
    let sql = texts.get(text)
    if (sql === undefined) {
      sql = dialect.text(text)
      texts.set(text, sql)
    }
    return { sql, parameters }
  }
}

/** Times in system tables are texts in UTC with milliseconds, which sort by time. Everywhere else they are milliseconds since
 *  1970. */
export const toText = (time: number): string => new Date(time).toISOString()
export const toTime = (text: SqlValue | undefined): number => Date.parse(text as string)
