// Queries on the system tables, from SQL texts that both databases share.

import type { SqlValue } from './encode.ts'
import type { Query } from './query.ts'
import type { WriteDialect } from './write-dialect.ts'

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
