// The addresses of a database and of its replicas, as `--database` and `--database-replicas` say them.

import { basename, dirname } from 'node:path'
import { looksLikeAddress } from './looks-like-address.ts'

export interface DatabaseAddresses {
  /** Null is the SQLite file of the data folder. */
  database: string | null
  replicas: string[]
}

/** What is said of connections beside their addresses; it counts over what stands behind the `?` of each. */
interface AddressOptions {
  tls: string | null
  applicationName: string | null
}

const sslModes: Record<string, string> = { off: 'disable', require: 'require', verify: 'verify-full' }

/** The first of `database` is the primary; what follows it are replicas, as `replicas` are. */
export function databaseAddresses(database: string | null, replicas: string | null, said: AddressOptions): DatabaseAddresses {
  const [primary = null, ...others] = splitAddresses(database ?? '').map((address) => withSaid(address, said))
  return {
    database: primary,
    replicas: [...others, ...splitAddresses(replicas ?? '').map((address) => withSaid(address, said))],
  }
}

/** The data folder that `sqlite:PATH` names: PATH is the folder, or the database in it. Null: it is none. */
export function sqliteFolder(text: string): string | null {
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(text)?.[1]
  if (path === undefined || splitAddresses(path).some(looksLikeAddress)) return null
  if (basename(path) === databaseFile) return dirname(path)
  return /\.(db|sqlite3?)$/.test(path) ? null : path
}

const databaseFile = 'twain.db'

/** At a comma that another address follows: one address may name several hosts. */
export function splitAddresses(text: string): string[] {
  return text === '' ? [] : text.split(/,\s*(?=postgres(?:ql)?:)/)
}

function withSaid(address: string, { tls, applicationName }: AddressOptions): string {
  if (tls === null && applicationName === null) return address
  const url = new URL(address)
  if (tls !== null) url.searchParams.set('sslmode', sslModes[tls]!)
  if (applicationName !== null) url.searchParams.set('application_name', applicationName)
  return url.href
}
