// What the driver or the server says when a statement fails, as what the caller is told.

import { ApiError } from '#base'
import { readTimedOut } from '../../read/read-errors.ts'
import { StartRefused } from '../../tables/start-refused.ts'
import { sessionParameters } from './connect.ts'

/** What is no Fault here is a bug. `time` is the limit in seconds. */
export function toReadError(error: unknown, time: number): unknown {
  const code = errorCode(error)
  if (code === '57014') return readTimedOut(time) // query_canceled: by statement_timeout, or by us when the time was over
  if (isUnavailable(error)) return databaseUnavailable(error)
  return isTransient(error) ? databaseBusy(error) : error
}

/** The same of a write, of which nothing has happened. */
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

/** The same at the start, where there is someone to read it. */
export function toStartRefused(error: unknown, place: string): unknown {
  const code = errorCode(error)
  const message = error instanceof Error ? error.message : ''
  if (code === '55P03') {
    return new StartRefused(
      `A table in ${place} is held by another's long transaction, and was not changed. Start again when that has ended.`,
    )
  }
  if (code === '23505') {
    return new StartRefused(`Rows in ${place} are the same where the schema now says @unique: ${detailOf(error)}`)
  }
  if (code === '54000') {
    return new StartRefused(`A text in ${place} is too long for an index that the schema asks for: ${message}.`)
  }
  if (isParameterRefused(error)) {
    return new StartRefused(
      `A pooler stands before the database ${place} and does not know what we ask of a session: ${message}. Let it pass: ` +
        `ignore_startup_parameters = ${sessionParameters.join(', ')} (docs/operations/postgresql-compatibility.md).`,
    )
  }
  // 42704, 22023: what stands behind the ? of the address is no setting of a session, or not one of its values.
  if (!isUnavailable(error) && !/^(28|3D|42501|42704|22023)/.test(code)) return error
  return new StartRefused(`The database ${place} can't be used: ${message} (${code}).`)
}

/** As PgBouncer says it (protocol_violation). */
export function isParameterRefused(error: unknown): boolean {
  return errorCode(error) === '08P01' && error instanceof Error && error.message.includes('startup parameter')
}

export function databaseUnavailable(cause: unknown): ApiError {
  return new ApiError('UNAVAILABLE', 'The database is not there just now.', { headers: { 'retry-after': '1' }, cause })
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

/** The connection could not be made, or was lost; the server starts, stops, or takes no more connections. Also one that
 *  refuses us: what was right at the start is, to a caller, only away. */
export function isUnavailable(error: unknown): boolean {
  return /^(CONNECT|E[A-Z]+$|ERR_STREAM|08|28|57P|53300|25P03)/.test(errorCode(error))
}

/** No room, no memory; a lock that the server waits for no longer; or it is a standby that had to replay a change of what was
 *  read. */
function isTransient(error: unknown): boolean {
  return /^(53[124]|55P03|40001|40P01)/.test(errorCode(error))
}
