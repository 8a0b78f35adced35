// A PostgreSQL database as the source of a copy, as one transaction sees it. Nodes may be serving it: the copy does not contain
// what they write after it has begun.

import type { Session } from '../postgres/connect/session.ts'
import { quoteName } from '../tables/quote.ts'
import type { ServedSchema } from '../tables/refuse-breaking.ts'
import { StartRefused } from '../tables/start-refused.ts'
import type { StorageNames } from '../tables/storage-names.ts'
import { type CopiedFile, type CopySource, filesAfter, type LogPosition } from './ends.ts'
import { readChunks, sizeOf } from './postgres-chunks.ts'
import { beginOn } from './postgres-session.ts'
import { postgresRows, readPostgresCatalog } from './postgres-tables.ts'
import { rowsInBatch } from './row-batch.ts'
import { tablesToCopy } from './stored-tables.ts'

export async function openPostgresSource(address: string): Promise<CopySource> {
  const { place, session } = await beginOn(address, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  try {
    const [there] = await session.query(`SELECT to_regclass('twain_schema') IS NOT NULL AS is`)
    const all = 'SELECT sdl, names FROM twain_schema ORDER BY n DESC'
    const schemas = there?.is === true ? await readSchemas(session, all) : []
    if (schemas[0] === undefined) {
      throw new StartRefused(`There is no data in ${place}: nothing was ever served from it.`)
    }
    const [unfinished] = await readSchemas(session, 'SELECT sdl, names FROM twain_migration')
    const tables = tablesToCopy(await readPostgresCatalog(session), schemas, unfinished?.names ?? null)
    const log = await markOf(session)
    return {
      place,
      schema: schemas[0],
      tables,
      log,
      async count(table) {
        const [row] = await session.query(`SELECT count(*) AS count FROM ${quoteName(table.name)}`)
        return row!.count as number
      },
      rows: (table) => postgresRows(session, table),
      filesAfter: (key) => session.query<CopiedFile>(filesAfter('$1', '$2'), [key, rowsInBatch]),
      findBytes: async (key) => ({ at: `${key} of twain_chunk`, size: await sizeOf(session, key) }),
      bytes: (key) => readChunks(session, key),
      close: () => session.close(),
    }
  } catch (error) {
    await session.close()
    throw error
  }
}

async function readSchemas(session: Session, select: string): Promise<ServedSchema[]> {
  const rows = await session.query<{ sdl: string; names: string }>(select)
  return rows.map(({ sdl, names }) => ({ sdl, names: JSON.parse(names) as StorageNames }))
}

/** Changes without a position get the next ones, as the sequencer would assign them. */
async function markOf(session: Session): Promise<LogPosition> {
  const fresh = 'SELECT count(*) FROM twain_change WHERE seq IS NULL'
  const [row] = await session.query(`SELECT id, last + (${fresh}) AS last FROM twain_log`)
  return row as unknown as LogPosition
}
