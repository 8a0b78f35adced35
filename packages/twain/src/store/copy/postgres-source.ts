// A PostgreSQL database as the source of a copy, as one transaction sees it. Nodes may be serving it: the copy does not contain
// what they write after it has begun.

import type { ReservedSql } from 'postgres'
import { quoteName } from '../tables/quote.ts'
import { StartRefused } from '../tables/start-refused.ts'
import type { StorageNames } from '../tables/storage-names.ts'
import type { CopiedTable } from './copied-tables.ts'
import {
  type Cell,
  type CopiedFile,
  type CopySource,
  filesAfter,
  type LogPosition,
  type RowBatch,
  rowsInBatch,
} from './ends.ts'
import { readChunks, sizeOf } from './postgres-chunks.ts'
import { beginOn } from './postgres-session.ts'

export async function openPostgresSource(address: string): Promise<CopySource> {
  const { place, session, close } = await beginOn(address, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  try {
    const [there] = await session.unsafe(`SELECT to_regclass('twain_schema') IS NOT NULL AS is`)
    const last = 'SELECT sdl, names FROM twain_schema ORDER BY n DESC LIMIT 1'
    const [served] = there?.is === true ? await session.unsafe<{ sdl: string; names: string }[]>(last) : []
    if (served === undefined) {
      throw new StartRefused(`There is no data in ${place}: nothing was ever served from it.`)
    }
    const log = await markOf(session)
    return {
      place,
      schema: { sdl: served.sdl, names: JSON.parse(served.names) as StorageNames },
      log,
      async count(table) {
        const [row] = await session.unsafe(`SELECT count(*) AS count FROM ${quoteName(table.name)}`)
        return row!.count as number
      },
      rows: (table) => batchesOf(session, table),
      filesAfter: (key) => session.unsafe<CopiedFile[]>(filesAfter('$1', '$2'), [key, rowsInBatch]),
      findBytes: async (key) => ({ at: `${key} of twain_chunk`, size: await sizeOf(session, key) }),
      bytes: (key) => readChunks(session, key),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Changes without a position get the next ones, as the sequencer would assign them. */
async function markOf(session: ReservedSql): Promise<LogPosition> {
  const fresh = 'SELECT count(*) FROM twain_change WHERE seq IS NULL'
  const [row] = await session.unsafe(`SELECT id, last + (${fresh}) AS last FROM twain_log`)
  return row as unknown as LogPosition
}

async function* batchesOf(session: ReservedSql, table: CopiedTable): AsyncGenerator<RowBatch> {
  const rows = session.unsafe(selectOf(table)).values().cursor(rowsInBatch) as unknown as AsyncIterable<unknown[][]>
  for await (const batch of rows) yield batch.map((row) => row.map(toCell))
}

function selectOf({ name: table, columns, order }: CopiedTable): string {
  const list = columns.map(quoteName)
  if (table !== 'twain_change') return `SELECT ${list.join(', ')} FROM ${quoteName(table)} ORDER BY ${quoteName(order)}`
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
