// The search words on SQLite: an FTS5 table for each table with searched columns, with the same row numbers. It holds only
// the words, folded by Twain: no text, and no positions. The tokenizer treats everything beyond ASCII as a letter, so each
// word is one token in any script.
//
// The SQL of the table names what it was created for: other columns, or other rules for words, create it anew.

import type { DatabaseSync } from 'node:sqlite'
import type { SqlValue } from '../../sql/encode.ts'
import { ftsColumn } from '../../sql/search/search-query.ts'
import { type SearchedTable, searchedTables, wordsOfRow, wordsTable } from '../../sql/search/searched-table.ts'
import type { Layout } from '../../tables/layout.ts'
import { quoteName } from '../../tables/quote.ts'
import type { MigrationSteps } from './migration-steps.ts'

export function createSearchTables(database: DatabaseSync, layout: Layout, steps: MigrationSteps): void {
  const required = new Set(searchedTables(layout).map(({ table }) => wordsTable(table)))
  const missing = missingSearchTables(database, layout)
  for (const { name: previous } of existingSearchTables(database)) {
    if (missing.has(previous) || !required.has(previous)) steps.run(`DROP TABLE ${quoteName(previous)}`)
  }
  for (const table of missing.values()) {
    steps.run(createText(table))
    steps.perform(`fill the search words of ${table.table}`, () => fill(database, table))
  }
}

/** The tables that are missing, or were created for something else, by name. */
export function missingSearchTables(database: DatabaseSync, layout: Layout): Map<string, SearchedTable> {
  const missing = new Map(searchedTables(layout).map((table) => [wordsTable(table.table), table]))
  for (const { name: previous, sql } of existingSearchTables(database)) {
    const table = missing.get(previous)
    if (table !== undefined && createText(table) === sql) missing.delete(previous)
  }
  return missing
}

function existingSearchTables(database: DatabaseSync): { name: string; sql: string }[] {
  const sql = `SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name GLOB 'twain_*_words' AND sql LIKE '%USING fts5%'`
  return database.prepare(sql).all() as { name: string; sql: string }[]
}

function createText({ table, columns, signature: sign }: SearchedTable): string {
  const options = [`content=''`, 'contentless_delete=1', 'detail=column', `tokenize='ascii'`]
  const parts = [...columns.map(({ words }) => ftsColumn(words)), ...options].join(', ')
  return `CREATE VIRTUAL TABLE ${quoteName(wordsTable(table))} USING fts5(${parts}) /* ${sign} */`
}

function fill(database: DatabaseSync, { table, columns }: SearchedTable): void {
  const list = columns.map((column) => quoteName(column.name)).join(', ')
  const rows = database.prepare(`SELECT _n, ${list} FROM ${quoteName(table)}`)
  rows.setReturnArrays(true)
  const places = columns.map(() => '?').join(', ')
  const target = `${quoteName(wordsTable(table))} (rowid, ${columns.map(({ words }) => ftsColumn(words)).join(', ')})`
  const insert = database.prepare(`INSERT INTO ${target} VALUES (?, ${places})`)
  for (const row of rows.iterate()) {
    const [number, ...values] = row as unknown as [number, ...SqlValue[]]
    insert.run(number, ...wordsOfRow(values).map((words) => words.join(' ')))
  }
  const words = quoteName(wordsTable(table))
  database.exec(`INSERT INTO ${words} (${words}) VALUES ('optimize')`) // one segment: a search reads all of them
}
