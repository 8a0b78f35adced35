// The SQL of writes for PostgreSQL. Other nodes write at the same time, so a write locks its rows until its end, with the
// weakest locks that suffice (docs/internals/decisions/0007-postgres-writes.md).

import { decodeColumn, encodeColumn } from '../../sql/encode.ts'
import { wordedColumn, wordsColumn } from '../../sql/search/searched-table.ts'
import type { WriteDialect } from '../../sql/write-dialect.ts'
import { quoteName, quoteText } from '../../tables/quote.ts'
import { postgres } from '../dialect.ts'
import { postgresIndexName } from '../migrate/indexes.ts'
import { searchVersion, wordArray } from '../migrate/search-tables.ts'

export const postgresWriteDialect: WriteDialect = {
  text: (sql) => sql.replaceAll(/\?(\d+)/g, '$$$1'),
  lock: { change: ' FOR NO KEY UPDATE', delete: ' FOR UPDATE', refer: ' FOR KEY SHARE' },
  jsonTexts: (list) => `json_array_elements_text(${list})`,
  lockId: `SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || '.' || ?1 || ':' || ?2, 0))`,
  shareListOf: (name, ids) =>
    `SELECT pg_advisory_xact_lock_shared(hashtextextended(current_schema() || '.' || ${name} || ':' || owners.id, 0)) FROM ${ids} AS owners (id)`,
  lockKey: `SELECT pg_try_advisory_xact_lock(hashtextextended(current_schema() || '.twain_idempotency_key:' || ?1, 0))::int`,
  // `xmin` changes when `twain migrate --drop` updates the row.
  servedSchema: `SELECT n || '.' || xmin FROM twain_schema ORDER BY n DESC LIMIT 1`,
  hasIndex: (index) => `to_regclass(${quoteText(quoteName(postgresIndexName(index)))}) IS NOT NULL`,
  skipLocked: ' FOR UPDATE SKIP LOCKED',
  lockShared: ' FOR SHARE',
  // `now()` is the same in a whole statement, so that an index can be used.
  time: (now, plus) =>
    `to_char((coalesce(CAST(${now} AS timestamptz), now()) + CAST(${plus} AS double precision) * interval '1 millisecond') ` +
    `AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  encode: encodeColumn,
  decode: decodeColumn,
  comparable: postgres.comparable,
  words: (table) => ({
    kind: 'inside',
    words: { column: wordsColumn, sql: (place) => `array_to_tsvector(${place}::text[])` },
    worded: { column: wordedColumn, sql: (place) => place },
    values: (words, version) => [wordArray(words, table), searchVersion(version, table)],
  }),
}
