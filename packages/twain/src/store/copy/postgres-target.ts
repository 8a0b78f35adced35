// A PostgreSQL database as the target of a copy, in one transaction: a killed copy has changed nothing, and no node can start
// there meanwhile. Keys and indexes are built after the rows are in.

import type { Model } from '#model'
import { errorCode, toStartRefused } from '../postgres/connect/database-errors.ts'
import type { Session } from '../postgres/connect/session.ts'
import { currentSchema } from '../postgres/current-schema.ts'
import { existingColumns, readCatalogue } from '../postgres/migrate/catalogue.ts'
import { allIndexes } from '../postgres/migrate/indexes.ts'
import { fillSearchTables, makeSystemObjects, migrationLock } from '../postgres/migrate/migrate.ts'
import { missingTables, systemObjects } from '../postgres/migrate/tables.ts'
import { missingKeyTriggers } from '../postgres/migrate/text-keys.ts'
import type { ByteChunks } from '../system/files/disk-chunks.ts'
import type { Layout } from '../tables/layout.ts'
import { quoteName, quoteText } from '../tables/quote.ts'
import { StartRefused } from '../tables/start-refused.ts'
import { type CopyTarget, expectKnownColumns, type LogPosition } from './ends.ts'
import { refuseLongTexts } from './long-texts.ts'
import { readChunks, writeChunks } from './postgres-chunks.ts'
import { beginOn } from './postgres-session.ts'
import { addForeignKeys, createPostgresTable, postgresRows, readPostgresCatalog } from './postgres-tables.ts'
import type { Cell, RowBatch } from './row-batch.ts'
import type { StoredTable } from './stored-tables.ts'

export async function openPostgresTarget(address: string): Promise<CopyTarget> {
  const { place, session } = await beginOn(address, 'BEGIN')
  return new PostgresTarget(place, session)
}

/** A primary key, a unique column or a foreign key, with the statements that drop it and add it again. */
interface TableConstraint {
  kind: 'p' | 'u' | 'f'
  drop: string
  add: string
}

class PostgresTarget implements CopyTarget {
  readonly place: string
  readonly #session: Session
  #tables: readonly StoredTable[] = []
  #afterwards: string[] = []
  #makeWords = async () => {}
  #findLongTexts = async (): Promise<StartRefused | null> => null

  constructor(place: string, session: Session) {
    this.place = place
    this.#session = session
  }

  close(): Promise<void> {
    return this.#session.close()
  }

  async prepare(model: Model, layout: Layout, tables: readonly StoredTable[]): Promise<void> {
    this.#tables = tables
    await this.#lock()
    await this.#refuseUsed()
    await makeSystemObjects(this.#session, await readCatalogue(this.#session))
    await this.#session.query('DELETE FROM twain_epoch') // those of the source follow
    expectKnownColumns(tables, await readPostgresCatalog(this.#session))
    const own = tables.filter(({ kind }) => kind !== 'system')
    if (own.length > 0) await this.#session.script(own.map(createPostgresTable).join(';\n'))
    // What the served schema alone needs: the columns of its search words, and triggers that make the keys of texts of a source without.
    const missing = [...missingTables(layout, await existingColumns(this.#session))]
    missing.push(...(await missingKeyTriggers(this.#session, layout)))
    if (missing.length > 0) await this.#session.script(missing.join(';\n'))
    this.#makeWords = () => fillSearchTables(this.#session, layout)
    this.#findLongTexts = () => refuseLongTexts(this.#session, layout, this.place)
    const constraints = await this.#constraints()
    const [foreign, keys] = [
      constraints.filter(({ kind }) => kind === 'f'),
      constraints.filter(({ kind }) => kind !== 'f'),
    ]
    await this.#session.script([...foreign, ...keys].map(({ drop }) => drop).join(';\n'))
    this.#afterwards = [
      ...keys.map(({ add }) => add),
      ...allIndexes(model, layout),
      ...foreign.map(({ add }) => add),
      ...own.flatMap(addForeignKeys),
      ...tables.map((table) => `ANALYZE ${quoteName(table.name)}`),
    ]
  }

  async take({ name: table, columns }: StoredTable, batches: AsyncIterable<RowBatch>): Promise<void> {
    const copy = `COPY ${quoteName(table)} (${columns.map(({ name }) => quoteName(name)).join(', ')}) FROM STDIN`
    await this.#session.copyIn(copy, linesOf(batches))
  }

  takeBytes(key: string, chunks: ByteChunks): Promise<void> {
    return writeChunks(this.#session, key, chunks)
  }

  bytes(key: string): ByteChunks {
    return readChunks(this.#session, key)
  }

  async complete({ id, last }: LogPosition): Promise<void> {
    try {
      await this.#makeWords()
      await this.#session.query('SAVEPOINT rows')
      for (const statement of this.#afterwards) await this.#session.query(statement)
    } catch (error) {
      if (errorCode(error) !== '54000') throw toStartRefused(error, this.place)
      await this.#session.query('ROLLBACK TO rows')
      throw (await this.#findLongTexts()) ?? toStartRefused(error, this.place)
    }
    for (const {
      name: table,
      order: [order = ''],
    } of this.#tables) {
      if (order !== '_n' && order !== 'n') continue
      const counter = `pg_get_serial_sequence(${quoteText(quoteName(table))}, ${quoteText(order)})`
      // In an empty table the next number is the first.
      await this.#session.query(
        `SELECT setval(${counter}, coalesce(max(${order}), 1), max(${order}) IS NOT NULL) FROM ${quoteName(table)}`,
      )
    }
    await this.#session.query('UPDATE twain_log SET id = $1, last = $2', [id, last])
  }

  rows(table: StoredTable): AsyncIterable<RowBatch> {
    return postgresRows(this.#session, table)
  }

  async countFiles(): Promise<number> {
    const [row] = await this.#session.query('SELECT count(*) AS count FROM twain_chunk WHERE n = 0')
    return row!.count as number
  }

  async finish(): Promise<void> {
    await this.#session.query('COMMIT')
  }

  async #lock(): Promise<void> {
    const [row] = await this.#session.query(`SELECT pg_try_advisory_xact_lock(${migrationLock}) AS got`)
    if (row?.got !== true) throw new StartRefused(`A start, or another copy, is making tables in ${this.place}.`)
  }

  async #refuseUsed(): Promise<void> {
    const { relations, functions } = await readCatalogue(this.#session)
    const wanted = [...this.#tables.map((table) => table.name).sort(), ...systemObjects]
    const there = wanted.find((name) => relations.has(name) || functions.has(name))
    if (there === undefined) return
    throw new StartRefused(
      `There is data in ${this.place} already: it has a ${relations.get(there)?.kind ?? 'function'} ${there}. ` +
        'Copy to another database, or to another schema of this one (?search_path=…).',
    )
  }

  async #constraints(): Promise<TableConstraint[]> {
    const rows = await this.#session.query<{
      table: string
      name: string
      kind: TableConstraint['kind']
      means: string
    }>(`
      SELECT t.relname AS table, c.conname AS name, c.contype::text AS kind, pg_get_constraintdef(c.oid) AS means
      FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
      WHERE t.relnamespace = ${currentSchema} AND c.contype IN ('p', 'u', 'f')
      AND t.relname IN (${this.#tables.map((table) => quoteText(table.name)).join(', ')})`)
    return rows.map((row) => ({
      kind: row.kind,
      drop: `ALTER TABLE ${quoteName(row.table)} DROP CONSTRAINT ${quoteName(row.name)}`,
      add: `ALTER TABLE ${quoteName(row.table)} ADD CONSTRAINT ${quoteName(row.name)} ${row.means}`,
    }))
  }
}

async function* linesOf(batches: AsyncIterable<RowBatch>): AsyncGenerator<string> {
  for await (const batch of batches) {
    let lines = ''
    for (const row of batch) lines += `${row.map(toField).join('\t')}\n`
    yield lines
  }
}

/** The text format of COPY. PostgreSQL also reads 1 as a boolean. */
function toField(value: Cell): string {
  if (value === null) return '\\N'
  return typeof value === 'number' ? String(value) : value.replace(/[\\\n\r\t]/g, escaped)
}

const letters: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }
const escaped = (character: string): string => letters[character]!
