// A PostgreSQL database that is copied from, as one transaction sees it. Nodes may be serving it: what they write after the
// copy has begun is not in it.

import type { ReservedSql } from 'postgres'
import { name } from '../tables/quote.ts'
import { StartRefused } from '../tables/start-refused.ts'
import type { LayoutNames } from '../tables/storage-names.ts'
import type { CopiedTable } from './copied-tables.ts'
import { type Batch, type Cell, filesAfter, type KeptFile, type LogMark, rowsInBatch, type Source } from './ends.ts'
import { readChunks, sizeOf } from './postgres-chunks.ts'
import { beginOn } from './postgres-session.ts'

export async function openPostgresSource(address: string): Promise<Source> {
  const { place, session, close } = await beginOn(address, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  try {
    const [there] = await session.unsafe(`SELECT to_regclass('twain_contract') IS NOT NULL AS is`)
    const last = 'SELECT sdl, names FROM twain_contract ORDER BY n DESC LIMIT 1'
    const [served] = there?.is === true ? await session.unsafe<{ sdl: string; names: string }[]>(last) : []
    if (served === undefined) {
      throw new StartRefused(`There is no data in ${place}: nothing was ever served from it.`)
    }
    const log = await markOf(session)
    return {
      place,
      contract: { sdl: served.sdl, names: JSON.parse(served.names) as LayoutNames },
      log,
      async count(table) {
        const [row] = await session.unsafe(`SELECT count(*) AS count FROM ${name(table.name)}`)
        return row!.count as number
      },
      rows: (table) => batchesOf(session, table),
      filesAfter: (key) => session.unsafe<KeptFile[]>(filesAfter('$1', '$2'), [key, rowsInBatch]),
      lookFor: async (key) => ({ at: `${key} of twain_chunk`, size: await sizeOf(session, key) }),
      bytes: (key) => readChunks(session, key),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Changes that have no position yet get the next ones, as the sequencer would give them. */
async function markOf(session: ReservedSql): Promise<LogMark> {
  const fresh = 'SELECT count(*) FROM twain_change WHERE seq IS NULL'
  const [row] = await session.unsafe(`SELECT id, last + (${fresh}) AS last FROM twain_log`)
  return row as unknown as LogMark
}

async function* batchesOf(session: ReservedSql, table: CopiedTable): AsyncGenerator<Batch> {
  const rows = session.unsafe(selectOf(table)).values().cursor(rowsInBatch) as unknown as AsyncIterable<unknown[][]>
  for await (const batch of rows) yield batch.map((row) => row.map(toCell))
}

function selectOf({ name: table, columns, order }: CopiedTable): string {
  const list = columns.map(name)
  if (table !== 'twain_change') return `SELECT ${list.join(', ')} FROM ${name(table)} ORDER BY ${name(order)}`
  const others = list.slice(1).join(', ')
  return (
    `(SELECT seq, ${others} FROM twain_change WHERE seq IS NOT NULL ORDER BY seq) UNION ALL ` +
    `(SELECT (SELECT last FROM twain_log) + row_number() OVER (ORDER BY n), ${others} ` +
    'FROM twain_change WHERE seq IS NULL ORDER BY n)'
  )
}

function toCell(value: unknown): Cell {
  return typeof value === 'boolean' ? Number(value) : (value as Cell)
}
