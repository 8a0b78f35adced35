// On start: the contract of the file against the one that was last served, on a database that other nodes may be serving.
//
// 1. One start migrates at a time (an advisory lock); another waits, and then finds nothing left to do.
// 2. Tables and columns are made in one transaction that also records which contract they are for; then the words that are
//    searched and indexes, those of tables with rows each by itself without stopping writers; then one last transaction
//    switches the contract.
// 3. Whoever is killed between leaves the record: the next start of the same contract goes on from there, that of another
//    takes back what was made, which nothing was served from yet.
// 4. No statement waits for ever behind someone's lock (`lock_timeout`): the start is refused, and nothing was changed.

import { setTimeout as sleep } from 'node:timers/promises'
import type { ReservedSql } from 'postgres'
import type { Model } from '#model'
import { columnType } from '../compile/postgres-dialect.ts'
import { name } from '../compile/statement.ts'
import { selectLastUses, toLastUses, type UsedRow } from '../last-uses.ts'
import { type Layout, type LayoutNames, layOut } from '../layout.ts'
import { type Followed, type Former, type Loose, type Place, refuseBreaking } from '../refuse-breaking.ts'
import { StartRefused } from '../start-refused.ts'
import { type WantedIndex, wantedIndexes } from '../wanted-indexes.ts'
import { searchedTables } from '../words/searched-table.ts'
import { connect, placeOf } from './connect.ts'
import { toRefusal } from './database-faults.ts'
import { fillWords } from './fill-words.ts'
import {
  createIndex,
  missingTables,
  nameOfIndex,
  ours,
  ownTables,
  type Present,
  undoing,
  wordIndexes,
} from './tables.ts'

interface Asked {
  model: Model
  sdl: string
  /** Whether clients may break. */
  allowBreaking: boolean
}

export async function migrate(address: string, asked: Asked): Promise<Layout> {
  const place = placeOf(address)
  const database = connect(address, { size: 1, time: 0 })
  try {
    // The driver gives no session out before it has a connection. One is held, since the lock is the session's: were it
    // lost, the next statement would fail, and not go on without the lock.
    await database.unsafe(`SET lock_timeout = '5s'`)
    const session = await database.reserve()
    await lock(session, place)
    return await migrateAlone(session, asked, place)
  } catch (error) {
    throw toRefusal(error, place)
  } finally {
    await database.end({ timeout: 0 }) // and with it the lock
  }
}

/** SQL of the number under which one start, or one copy, at a time changes the tables. */
export const migrationLock = `hashtext('twain migration'), hashtext(current_schema())`

/** Seconds that another start may take. */
const longestWait = 600

/** By asking again and again: who waits inside a statement holds a snapshot, and an index that is built without stopping
 *  writers waits for all of those. */
async function lock(session: ReservedSql, place: string): Promise<void> {
  const until = performance.now() + longestWait * 1000
  while (performance.now() < until) {
    const [row] = await session.unsafe(`SELECT pg_try_advisory_lock(${migrationLock}) AS got`)
    if (row?.got === true) return
    await sleep(100)
  }
  throw new StartRefused(
    `Another start has been migrating ${place} for ${longestWait / 60} minutes. Start again later.`,
  )
}

async function migrateAlone(
  session: ReservedSql,
  { model, sdl, allowBreaking }: Asked,
  place: string,
): Promise<Layout> {
  await session.unsafe(ownTables).simple()
  const former = await read(session, 'SELECT sdl, names FROM twain_contract ORDER BY n DESC LIMIT 1')
  const begun = await read(session, 'SELECT sdl, names FROM twain_migration')
  if (begun === null && former?.sdl === sdl) return layOut(model, former.names).layout
  const goesOn = begun?.sdl === sdl
  await session.unsafe('BEGIN')
  try {
    if (begun !== null && !goesOn) await run(session, undoing(begun.names, former?.names ?? noNames))
    const followed =
      former !== null && former.sdl !== sdl ? await follow(session, former, { model, sdl, allowBreaking }, place) : null
    const { layout, names } = layOut(model, goesOn ? begun.names : (former?.names ?? null))
    await run(session, missingTables(layout, await columnsThere(session)))
    if (followed !== null) await run(session, await loosening(session, followed.loose))
    await session.unsafe('DELETE FROM twain_migration')
    await session.unsafe('INSERT INTO twain_migration (sdl, names) VALUES ($1, $2)', [sdl, JSON.stringify(names)])
    await session.unsafe('COMMIT')
    await makeWords(session, layout) // before their index, which is then made at once
    await makeIndexes(session, model, layout)
    await makeWords(session, layout) // of rows that were written meanwhile
    await session.unsafe('BEGIN')
    await dropIndexes(session, model, layout)
    if (former?.sdl !== sdl) {
      const values = [sdl, JSON.stringify(names), new Date().toISOString()]
      await session.unsafe('INSERT INTO twain_contract (sdl, names, since) VALUES ($1, $2, $3)', values)
    }
    await session.unsafe('DELETE FROM twain_migration')
    await session.unsafe('COMMIT')
    return layout
  } catch (error) {
    await session.unsafe('ROLLBACK').catch(() => undefined) // with a connection that is gone, the server does it itself
    throw error
  }
}

const noNames: LayoutNames = { tables: {}, links: {} }

async function read(session: ReservedSql, select: string): Promise<Former | null> {
  const [row] = await session.unsafe<{ sdl: string; names: string }[]>(select)
  return row === undefined ? null : { sdl: row.sdl, names: JSON.parse(row.names) as LayoutNames }
}

/** All in one message: a contract has hundreds. */
async function run(session: ReservedSql, statements: Iterable<string>): Promise<void> {
  const all = [...statements].join(';\n')
  if (all !== '') await session.unsafe(all).simple()
}

async function follow(session: ReservedSql, former: Former, asked: Asked, name: string): Promise<Followed> {
  const wayOut = 'start afresh in another database (--database), or in another schema of this one (?search_path=…).'
  const place: Place = { name, wayOut }
  const { model, sdl, allowBreaking } = asked
  const [row] = await session.unsafe<{ names: string }[]>(
    'SELECT names FROM twain_contract WHERE sdl = $1 ORDER BY n DESC LIMIT 1',
    [sdl],
  )
  const again = row === undefined ? null : (JSON.parse(row.names) as LayoutNames)
  const uses = toLastUses(await session.unsafe<UsedRow[]>(selectLastUses))
  const judging = refuseBreaking(former, { model, again, allowBreaking, uses }, place)
  let select = judging.next()
  while (!select.done) select = judging.next((await session.unsafe(select.value)).length > 0)
  return select.value
}

/** Nobody sees what a contract no longer has, so it must not stop a delete. */
async function loosening(session: ReservedSql, loose: readonly Loose[]): Promise<string[]> {
  const keys = await session.unsafe<{ table: string; key: string; columns: string }[]>(`
    SELECT c.relname AS "table", k.conname AS key, json_agg(a.attname) AS columns
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (k.conkey)
    WHERE k.contype = 'f' AND c.relnamespace = current_schema()::regnamespace GROUP BY c.relname, k.conname`)
  const isLoose = (table: string, columns: readonly string[]) =>
    loose.some((one) => one.table === table && (one.column === null || columns.includes(one.column)))
  return keys
    .filter(({ table, columns }) => isLoose(table, JSON.parse(columns) as string[]))
    .map(({ table, key }) => `ALTER TABLE ${name(table)} DROP CONSTRAINT ${name(key)}`)
}

async function columnsThere(session: ReservedSql): Promise<Present> {
  const rows = await session.unsafe<{ table: string; columns: string }[]>(`
    SELECT c.relname AS "table", json_agg(a.attname) AS columns FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
    GROUP BY c.relname`)
  return new Map(rows.map(({ table, columns }) => [table, new Set(JSON.parse(columns) as string[])]))
}

export async function makeWords(session: ReservedSql, layout: Layout): Promise<void> {
  await fillWords((sql, parameters) => session.unsafe(sql, parameters as string[]).values(), searchedTables(layout))
}

async function makeIndexes(session: ReservedSql, model: Model, layout: Layout): Promise<void> {
  const there = await indexesThere(session)
  const json = jsonColumns(layout)
  const missing = [...indexesOf(model, layout)].flatMap(([called, index]) =>
    there.get(called) === true ? [] : [index],
  )
  const tables = new Set(missing.map(({ table }) => table))
  const full = new Set<string>()
  for (const table of tables) {
    if ((await session.unsafe(`SELECT 1 FROM ${name(table)} LIMIT 1`)).length > 0) full.add(table)
  }
  const create = (how: '' | 'CONCURRENTLY ') => (index: WantedIndex) =>
    createIndex(index, json.get(index.table) ?? new Set(), how)
  // One that was given up half-way is there and not valid.
  await run(
    session,
    missing.map((index) => `DROP INDEX IF EXISTS ${name(nameOfIndex(index))}`),
  )
  await run(session, missing.filter(({ table }) => !full.has(table)).map(create('')))
  for (const statement of missing.filter(({ table }) => full.has(table)).map(create('CONCURRENTLY '))) {
    await session.unsafe(statement)
  }
}

/** All that a contract asks for, on tables that nobody else has seen yet. */
export function allIndexes(model: Model, layout: Layout): string[] {
  const json = jsonColumns(layout)
  return [...indexesOf(model, layout).values()].map((index) =>
    createIndex(index, json.get(index.table) ?? new Set(), ''),
  )
}

async function dropIndexes(session: ReservedSql, model: Model, layout: Layout): Promise<void> {
  const wanted = indexesOf(model, layout)
  const former = [...(await indexesThere(session)).keys()].filter((one) => one.startsWith(ours) && !wanted.has(one))
  await run(
    session,
    former.map((one) => `DROP INDEX ${name(one)}`),
  )
}

/** By name: two fields may ask for the same. */
function indexesOf(model: Model, layout: Layout): Map<string, WantedIndex> {
  const wanted = [...wantedIndexes(model, layout), ...wordIndexes(layout)]
  return new Map(wanted.map((index) => [nameOfIndex(index), index]))
}

/** By name, whether it is whole. */
async function indexesThere(session: ReservedSql): Promise<Map<string, boolean>> {
  const rows = await session.unsafe<{ name: string; valid: boolean }[]>(`
    SELECT c.relname AS name, i.indisvalid AS valid FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
    WHERE c.relnamespace = current_schema()::regnamespace`)
  return new Map(rows.map((row) => [row.name, row.valid]))
}

/** Those that hold JSON, by table. */
function jsonColumns(layout: Layout): Map<string, Set<string>> {
  return new Map(
    [...layout.tables.values()].map((table) => {
      const columns = [...table.columns].filter(
        ([field]) => field.kind === 'stored' && columnType(field.type) === 'json',
      )
      return [table.name, new Set(columns.map(([, column]) => column.name))]
    }),
  )
}
