// Fills the keys of texts (`tables/text-keys.ts`) on SQLite, within the transaction of the migration.

import type { DatabaseSync } from 'node:sqlite'
import { quoteName } from '../../tables/quote.ts'
import type { KeyColumn } from '../../tables/text-keys.ts'
import { keyFunction } from '../dialect.ts'
import type { MigrationSteps } from './migration-steps.ts'

/** Of the rows that have none, or another one. */
export function fillKeys(columns: readonly KeyColumn[], steps: MigrationSteps): void {
  for (const [table, some] of Map.groupBy(columns, (one) => one.table)) steps.run(fillText(table, some))
}

/** The same for tables that should have all keys: an older Twain may have written texts without. */
export function repairKeys(database: DatabaseSync, columns: readonly KeyColumn[], steps: MigrationSteps): void {
  for (const [table, some] of Map.groupBy(columns, (one) => one.table)) {
    const wrong = database.prepare(`SELECT 1 FROM ${quoteName(table)} WHERE ${lacksKeys(some)} LIMIT 1`).get()
    if (wrong !== undefined) steps.run(fillText(table, some))
  }
}

function fillText(table: string, columns: readonly KeyColumn[]): string {
  const sets = columns.map(({ column, key }) => `${quoteName(key)} = ${keyFunction}(${quoteName(column)})`)
  return `UPDATE ${quoteName(table)} SET ${sets.join(', ')} WHERE ${lacksKeys(columns)}`
}

function lacksKeys(columns: readonly KeyColumn[]): string {
  return columns.map(({ column, key }) => `${quoteName(key)} IS NOT ${keyFunction}(${quoteName(column)})`).join(' OR ')
}
