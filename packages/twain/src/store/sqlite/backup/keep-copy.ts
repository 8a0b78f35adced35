// A copy of the database as it was last committed, in the data folder: before what rows hold is forgotten.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '#base'
import { copyDatabase } from './copy-database.ts'

/** `why` is told with where it is. */
export function backUpBeforeChange(data: string, log: Log | undefined, why: string): void {
  const folder = join(data, 'backups')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const copy = join(folder, `${new Date().toISOString().replace(/[:.]/g, '-')}.db`)
  copyDatabase(data, copy)
  log?.warn({ copy }, why)
}
