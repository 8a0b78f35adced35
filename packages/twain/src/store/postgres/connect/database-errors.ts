// Converts errors of the driver or the server into errors for callers.

import { ApiError } from '#base'
import { readTimedOut } from '../../read/read-result.ts'
import { sumOutOfRange } from '../../sql/aggregates/exact-values.ts'
import { StartRefused } from '../../tables/start-refused.ts'
import { sessionParameters } from './connect.ts'

/** Errors that are not converted are bugs, or failures of the storage (`observe/storage-failures.ts`). `time` is the timeout in seconds. */
export function toReadError(error: unknown, time: number): unknown {
  const code = errorCode(error)
  if (code === '57014') return readTimedOut(time) // query_canceled: by statement_timeout, or by Twain after the timeout
  if (code === '22003') return sumOutOfRange() // numeric_value_out_of_range: only sums leave the range of their type
  if (isUnavailable(error)) return databaseUnavailable(error)
  return isTransient(error) ? databaseBusy(error) : error
}

/** For a write that had no effect. */
export function toWriteError(error: unknown, time: number): unknown {
  const code = errorCode(error)
  if (code === '57014') {
    return new ApiError('UNAVAILABLE', `The write took longer than ${time} s and was stopped; nothing was written.`, {
      headers: { 'retry-after': '5' },
    })
  }
  // A database that is only read, as a replica is.
  if (isTransient(error) || code === '25006') {
    return new ApiError('UNAVAILABLE', 'The database can take no writes just now.', {
      headers: { 'retry-after': '5' },
      cause: error,
    })
  }
  return toReadError(error, time)
}

/** For a start, where an operator reads the message. `advice`: which address to use instead of a pooler's. */
export function toStartRefused(error: unknown, place: string, advice = ''): unknown {
  const code = errorCode(error)
  const message = error instanceof Error ? error.message : ''
  if (code === '55P03') {
    return new StartRefused(
      `A table in ${place} is locked by another transaction, and was not changed. Start again when that transaction has ended.`,
    )
  }
  if (code === '23505') {
    return new StartRefused(`Rows in ${place} have equal values in a field that is @unique now: ${detailOf(error)}`)
  }
  if (code === '54000') {
    return new StartRefused(`A text in ${place} is too long for an index of the schema: ${message}.`)
  }
  if (code === '2BP01') {
    return new StartRefused(
      `A table or column of Twain in ${place} can't be dropped, because something that Twain did not make depends on it: ` +
        `${detailOf(error)} Nothing was dropped. Drop that first.`,
    )
  }
  // 42P07, 42701, 42710, 42723: a table, column, trigger or function exists; it did not when the start checked the names.
  if (/^42(P07|701|710|723)$/.test(code)) {
    return new StartRefused(`Somebody else made something with a name of Twain's in ${place}: ${message}. Start again.`)
  }
  if (isParameterRefused(error)) {
    return new StartRefused(
      `A connection pooler before the database ${place} refuses a session parameter of Twain: ${message}. ${advice} ` +
        `A PgBouncer of your own needs ignore_startup_parameters = ${sessionParameters.join(', ')} ` +
        '(docs/operations/postgresql-compatibility.md).',
    )
  }
  // 42704, 22023, 42601: a parameter of the address is no session parameter, or has an invalid value; or `options` has. 53100: no
  // space.
  if (!isUnavailable(error) && !/^(28|3D|53100|42501|42704|22023|42601)/.test(code)) return error
  return new StartRefused(`The database ${place} can't be used: ${message} (${code}).`)
}

/** The error of PgBouncer (protocol_violation). */
export function isParameterRefused(error: unknown): boolean {
  return errorCode(error) === '08P01' && error instanceof Error && error.message.includes('startup parameter')
}

export function databaseUnavailable(cause: unknown): ApiError {
  return new ApiError('UNAVAILABLE', 'The database is unreachable.', { headers: { 'retry-after': '1' }, cause })
}

function databaseBusy(cause: unknown): ApiError {
  return new ApiError('UNAVAILABLE', 'The database can answer no such read just now.', {
    headers: { 'retry-after': '1' },
    cause,
  })
}

export function errorCode(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '')
}

function detailOf(error: unknown): string {
  return String((error as { detail?: unknown } | null)?.detail ?? '')
}

/** The connection failed or was lost; the server starts, stops, or has no free connections. Also refused credentials:
 *  they worked at the start. */
export function isUnavailable(error: unknown): boolean {
  return /^(CONNECT|E[A-Z]+$|ERR_STREAM|08|28|57P|53300|25P03)/.test(errorCode(error))
}

/** Whether no write can be made just now, whatever it writes: the server is unreachable, only read, or its disk is full
 *  (disk_full, io_error). */
export function isUnwritable(error: unknown): boolean {
  return isUnavailable(error) || /^(25006|53100|58030)$/.test(errorCode(error))
}

/** The server stops, starts, or is only read: a primary that another server replaces. Nothing was written, and the same request
 *  succeeds on the new primary. 25006 is read_only_sql_transaction, 57P01 admin_shutdown, 57P02 crash_shutdown, 57P03
 *  cannot_connect_now. */
export function isSwitching(error: unknown): boolean {
  return /^(57P0[123]|25006)$/.test(errorCode(error))
}

/** The server is out of disk or memory, a lock timed out, or a standby cancelled the read. */
function isTransient(error: unknown): boolean {
  return /^(53[124]|55P03|40001|40P01)/.test(errorCode(error))
}
