// How Twain connects to PostgreSQL: the settings of its connections, and a database for statements that are no requests.

import { defaultCacheBytes } from '#base'
import type { StatementObserver } from '../../observe/statement-observer.ts'
import type { StorageFailures } from '../../observe/storage-failures.ts'
import { parseAddress } from './address.ts'
import { Database } from './database.ts'

export { describeAddress } from './address.ts'
export type { Database } from './database.ts'

export interface PoolOptions {
  /** The maximum number of connections. */
  size: number
  /** The timeout of a statement in seconds; 0: none. */
  time: number
  /** How long statements wait for a database that is away, in seconds; default: not at all. */
  outageWaitSeconds?: number
  /** The memory of the server for the prepared statements of one connection, as Twain estimates it. */
  statementBytes?: number | undefined
  /** Default: nothing is logged or traced. */
  observer?: StatementObserver
  /** Counts failures of the server's storage. Default: it only logs them. */
  failures?: StorageFailures
  /** Whether its sessions can't write. */
  isReadOnly?: true
}

/** What the server takes for each character of a prepared statement, with its plan. */
export const statementCharacterBytes = 80

export const defaultStatementBytes = defaultCacheBytes / 2

/** Session parameters that a connection pooler must let pass. */
export const sessionParameters = [
  'search_path',
  'statement_timeout',
  'idle_in_transaction_session_timeout',
  'default_transaction_isolation',
  'bytea_output',
  'extra_float_digits',
  'plan_cache_mode',
  'random_page_cost',
  'jit',
]

/** The server looks for a deadlock after a second by default, and only who was granted it may change that (`twain doctor` says so). The limits
 *  of waits (`write/run-step.ts`) end most deadlocks before, but none of a single round trip. */
export const findDeadlocksEarly = `DO $$ BEGIN
  PERFORM set_config('deadlock_timeout', '100ms', false) WHERE current_setting('deadlock_timeout')::interval > '100ms';
EXCEPTION WHEN insufficient_privilege THEN NULL; END $$`

/** Connects on demand. `onLost` is called when a connection has ended. Throws StartRefused if the address is invalid. */
export function connect(address: string, pool: PoolOptions, onLost?: () => void): Database {
  parseAddress(address)
  return new Database(address, pool, onLost)
}
