// What contracts have left behind (`refuse-breaking.ts`, 2): tables and columns that nobody sees any more. Only
// `twain migrate --drop` takes them away, and with them what a contract from before could come back to.

import { name } from './quote.ts'
import type { LayoutNames } from './storage-names.ts'

export interface Forgotten {
  statements: string[]
  /** The names without them. */
  names: LayoutNames
}

export function forgottenIn(former: LayoutNames): Forgotten {
  const names = structuredClone(former)
  const statements: string[] = []
  const drop = (table: string) => statements.push(`DROP TABLE ${name(table)}`)
  for (const [key, { name: table }] of Object.entries(names.links)) {
    if (!isForgotten(key)) continue
    drop(table)
    delete names.links[key]
  }
  for (const [type, { name: table, columns }] of Object.entries(names.tables)) {
    if (isForgotten(type)) continue
    for (const [key, column] of Object.entries(columns)) {
      if (!isForgotten(key)) continue
      for (const one of column.type === null ? [column.name] : [column.name, column.type]) {
        statements.push(`ALTER TABLE ${name(table)} DROP COLUMN ${name(one)}`)
      }
      delete columns[key]
    }
  }
  for (const [key, { name: table }] of Object.entries(names.tables)) {
    if (!isForgotten(key)) continue
    drop(table)
    delete names.tables[key]
  }
  return { statements, names }
}

function isForgotten(key: string): boolean {
  return key.startsWith('-')
}
