// The database file of a data folder.

import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { StartRefused } from '../../tables/start-refused.ts'

/** What a killed restore or copy leaves. It would look like a service that has no rows yet. */
const unfinished = [
  { name: 'twain.db.restore', command: 'twain restore' },
  { name: 'twain.db.copy', command: 'twain copy' },
]

/** The path of the file, which exists then. The caller has locked the folder, so no restore or copy runs. */
export function makeDatabaseFile(data: string): string {
  const file = join(data, 'twain.db')
  const left = existsSync(file) ? undefined : unfinished.find(({ name }) => existsSync(join(data, name)))
  if (left !== undefined) {
    throw new StartRefused(
      `${data} has no twain.db, but ${left.name}: ${left.command} was interrupted. Run it again; or remove ${left.name} to begin with an empty service.`,
    )
  }
  closeSync(openSync(file, 'a', 0o600)) // it holds the signing key of tokens; SQLite gives its log the same mode
  return file
}
