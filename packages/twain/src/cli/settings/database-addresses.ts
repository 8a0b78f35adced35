// Parses `--database` and `--database-replicas` into the addresses of the primary and its replicas.

import { basename, dirname } from 'node:path'

export interface DatabaseAddresses {
  /** Null is the SQLite file of the data folder. */
  database: string | null
  replicas: string[]
}

/** Connection settings beside the addresses. They override the query parameters of each address. */
interface AddressOptions {
  tls: string | null
  applicationName: string | null
}

const sslModes: Record<string, string> = { off: 'disable', require: 'require', verify: 'verify-full' }

/** The first address of `database` is the primary. Further ones are replicas, as those of `replicas` are. */
export function databaseAddresses(
  database: string | null,
  replicas: string | null,
  options: AddressOptions,
): DatabaseAddresses {
  const [primary = null, ...others] = splitAddresses(database ?? '').map((address) => withOptions(address, options))
  return {
    database: primary,
    replicas: [...others, ...splitAddresses(replicas ?? '').map((address) => withOptions(address, options))],
  }
}

/** The data folder of `sqlite:PATH`, where PATH is the folder or the database file in it. Null for other text. */
export function sqliteFolder(text: string): string | null {
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(text)?.[1]
  if (path === undefined || splitAddresses(path).some(looksLikeAddress)) return null
  if (basename(path) === databaseFile) return dirname(path)
  return /\.(db|sqlite3?)$/.test(path) ? null : path
}

export const databaseFile = 'twain.db'

/** Splits only at a comma before another address, because one address may list several hosts. */
export function splitAddresses(text: string): string[] {
  return text === '' ? [] : text.split(/,\s*(?=postgres(?:ql)?:)/)
}

function withOptions(address: string, { tls, applicationName }: AddressOptions): string {
  if (tls === null && applicationName === null) return address
  const url = new URL(address)
  if (tls !== null) url.searchParams.set('sslmode', sslModes[tls]!)
  if (applicationName !== null) url.searchParams.set('application_name', applicationName)
  return url.href
}

/** Detects a database address where a folder is expected. Otherwise Twain would create a folder whose name shows the password.
 *  `postgres://…`, also with a slash missing, and any other URL. A drive (`C:/data`) is not an address. */
export function looksLikeAddress(text: string): boolean {
  return /^(?:[a-z][a-z\d+.-]+:\/\/|postgres(?:ql)?[:/]+\S+@)/i.test(text)
}
