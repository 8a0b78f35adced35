// The foreign keys of the database, whichever schema created them. No start drops one. Earlier builds did, at a rollback:
// such keys come back here. First without a look at the rows, which locks the table for a moment and guards every write from
// then on; then references to rows that do not exist become null; then the server validates the key, beside other writes.

import type { Log } from '#base'
import { wallTime } from '#base/time'
import type { QueryRows } from '../../sql/query.ts'
import type { TableColumns } from '../../tables/foreign-objects.ts'
import { referenceKey } from '../../tables/layout.ts'
import { quoteName, shortName } from '../../tables/quote.ts'
import type { StoredReference } from '../../tables/storage-names.ts'
import { clearDangling, describeCleared } from '../../write/rows/dangling-references.ts'
import type { Step } from '../../write/steps/query-step.ts'
import { postgresRowImages } from '../changes/row-images.ts'
import type { Session } from '../connect/session.ts'
import { currentSchema } from '../current-schema.ts'
import { postgresWriteDialect } from '../write/write-dialect.ts'

/** Selects the columns with a foreign key, and the table that each refers to. */
export const selectForeignKeys = `
  SELECT t.relname AS "table", a.attname AS "column", f.relname AS "to", k.conname AS "name", k.convalidated AS "isValid"
  FROM pg_constraint k JOIN pg_class t ON t.oid = k.conrelid JOIN pg_class f ON f.oid = k.confrelid
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY (k.conkey)
  WHERE k.contype = 'f' AND t.relnamespace = ${currentSchema}`

interface MissingKey {
  reference: StoredReference
  name: string
  /** Null: the key exists, and an interrupted start has not validated it. */
  create: string | null
}

/** The foreign keys that the database lacks, or that are not validated. */
export async function missingForeignKeys(
  session: Session,
  references: readonly StoredReference[],
  present: TableColumns,
): Promise<MissingKey[]> {
  const rows = await session.query<{ table: string; column: string; name: string; isValid: boolean }>(selectForeignKeys)
  const keys = new Map(rows.map((row) => [referenceKey(row), row]))
  return references.flatMap((reference): MissingKey[] => {
    const { table, column, to } = reference
    const key = keys.get(referenceKey(reference))
    if (to === null || key?.isValid === true) return []
    if (!present.get(table)?.has(column) || !present.has(to)) return []
    const name = key?.name ?? shortName(`${table}_${column}_fkey`)
    const add = `ALTER TABLE ${quoteName(table)} ADD CONSTRAINT ${quoteName(name)} FOREIGN KEY (${quoteName(column)})`
    const create = `${add} REFERENCES ${quoteName(to)} (id) DEFERRABLE INITIALLY DEFERRED NOT VALID`
    return [{ reference, name, create: key === undefined ? create : null }]
  })
}

export async function restoreForeignKeys(
  session: Session,
  missing: readonly MissingKey[],
  onStep: (step: string) => void,
  log: Log | undefined,
): Promise<void> {
  const run = async (sql: string) => {
    onStep(sql)
    await session.query(sql)
  }
  for (const { reference, name, create } of missing) {
    if (create !== null) await run(create)
    await session.query('BEGIN')
    const cleared = await runStep(
      clearDangling(reference, postgresWriteDialect, postgresRowImages, new Date(wallTime()).toISOString()),
      session,
    ).catch(async (error) => {
      await session.query('ROLLBACK').catch(() => undefined)
      throw error
    })
    await session.query('COMMIT')
    if (cleared.length > 0) log?.warn({}, describeCleared(reference, cleared))
    await run(`ALTER TABLE ${quoteName(reference.table)} VALIDATE CONSTRAINT ${quoteName(name)}`)
  }
}

async function runStep<T>(step: Step<T>, session: Session): Promise<T> {
  let turn = step.next()
  while (turn.done !== true) {
    const rows: QueryRows[] = []
    for (const { sql, parameters } of turn.value) {
      rows.push((await session.values(sql, parameters)) as unknown as QueryRows)
    }
    turn = step.next(rows)
  }
  return turn.value
}
