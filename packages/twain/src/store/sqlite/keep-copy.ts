// A whole copy of the database, as it was when it was last committed, beside it: before what rows hold is forgotten.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Log } from '#base'

/** Gives the path of the copy. */
export function keepCopy(data: string, log: Log | undefined): string {
  const folder = join(data, 'backups')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const copy = join(folder, `${new Date().toISOString().replace(/[:.]/g, '-')}.db`)
  const database = new DatabaseSync(join(data, 'twain.db'), { readOnly: true, timeout: 5000 })
  try {
    database.prepare('VACUUM INTO ?').run(copy)
  } finally {
    database.close()
  }
  log?.warn({ copy }, 'the contract has left fields or types with data: the database as it was is kept')
  return copy
}
