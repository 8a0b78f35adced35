// How far each import (`twain import`) has come, stored in the transaction of its last portion. An import that was killed goes
// on there, and writes nothing twice.

import { ApiError } from '#base'
import { wallTime } from '#base/time'
import type { Query, QueryRows } from '../sql/query.ts'
import type { WriteDialect } from '../sql/write-dialect.ts'
import { type SystemTables, systemQuery } from './system-tables.ts'

/** Parameters as in `webhookTables`. */
export function importPositionTable({ text, whole, kind }: { text: string; whole: string; kind: string }): string {
  return `
CREATE TABLE IF NOT EXISTS twain_import (
  name ${text} PRIMARY KEY, -- the type, and the name of the file
  pass ${whole} NOT NULL, -- 1 creates rows; 2 sets the references that had to wait
  position ${whole} NOT NULL, -- bytes of the file that are done
  digest ${text} NOT NULL, -- SHA-256 of these bytes
  line ${whole} NOT NULL, -- lines in these bytes
  rows ${whole} NOT NULL, -- rows that were written so far
  waiting ${text} NOT NULL, -- JSON: the fields whose references wait for pass 2
  time ${text} NOT NULL
)${kind}`
}

/** A place in a file. `position` is 0, with the digest of nothing, at its beginning. */
export interface ImportPosition {
  pass: 1 | 2
  position: number
  digest: string
  line: number
  rows: number
  waiting: readonly string[]
}

/** A step of an import, from a place to the next one. */
export interface ImportStep {
  name: string
  /** Where the import was before: another process that imports the same file meanwhile is found by it. */
  from: Pick<ImportPosition, 'pass' | 'position'>
  to: ImportPosition
}

/** The queries that an open transaction runs. */
export class ImportQueries {
  readonly #query: ReturnType<typeof systemQuery>

  constructor(dialect: WriteDialect) {
    this.#query = systemQuery(dialect)
  }

  find(name: string): Query {
    return this.#query(
      'SELECT pass, position, digest, line, rows, waiting, time FROM twain_import WHERE name = ?1',
      name,
    )
  }

  /** Throws if the import is no longer where the step begins. */
  async save({ name, from, to }: ImportStep, run: (query: Query) => Promise<readonly QueryRows[]>): Promise<void> {
    const [rows] = await run(
      this.#query(
        'INSERT INTO twain_import (name, pass, position, digest, line, rows, waiting, time) ' +
          'VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (name) DO UPDATE SET pass = excluded.pass, ' +
          'position = excluded.position, digest = excluded.digest, line = excluded.line, rows = excluded.rows, ' +
          'waiting = excluded.waiting, time = excluded.time ' +
          'WHERE twain_import.pass = ?9 AND twain_import.position = ?10 RETURNING 1',
        ...[name, to.pass, to.position, to.digest, to.line, to.rows, JSON.stringify(to.waiting)],
        ...[new Date(wallTime()).toISOString(), from.pass, from.position],
      ),
    )
    if (rows!.length === 0) throw importedElsewhere(name)
  }
}

function importedElsewhere(name: string): ApiError {
  return new ApiError('CONFLICT', `Another process imports ${name} at the same time; it has gone on from here.`, {
    hint: 'Let one of the two end. Run the command again then: it goes on where that one has stopped.',
  })
}

export interface ImportPositions {
  readonly queries: ImportQueries
  /** Null: nothing of this name was imported. */
  find(name: string): Promise<(ImportPosition & { time: string }) | null>
  /** Forgets how far the import has come: the next one begins at the beginning of the file. */
  forget(name: string): Promise<void>
}

export function openImportPositions({ dialect, read, run }: SystemTables): ImportPositions {
  const queries = new ImportQueries(dialect)
  const query = systemQuery(dialect)
  return {
    queries,
    async find(name) {
      const [row] = await read(queries.find(name))
      if (row === undefined) return null
      const [pass, position, digest, line, rows, waiting, time] = row
      return {
        pass: Number(pass) === 2 ? 2 : 1,
        position: Number(position),
        digest: String(digest),
        line: Number(line),
        rows: Number(rows),
        waiting: JSON.parse(String(waiting)) as string[],
        time: String(time),
      }
    },
    async forget(name) {
      await run(query('DELETE FROM twain_import WHERE name = ?1', name))
    },
  }
}
