// Cursors of the change log. The same cursor resumes the feed, subscriptions and event streams. It holds the log and the
// position. A changed cursor, one of another log and one past the end are validation errors. A cursor whose changes were
// pruned is GONE. So no reader misses a change without an error.
//
//   cursor = log ":" position ":" checksum     (only letters, digits and colons: safe in URLs and headers)

import { hash } from 'node:crypto'
import { ApiError, validationError } from '#base'
import type { ChangeLog, ChangeRecord } from '#store'

export function writeCursor(log: string, position: number): string {
  const named = `${shortLogId(log)}:${position}`
  return `${named}:${checksum(named)}`
}

/** The part after `~` proves that a stream owns its ticket (`auth/tokens/tickets.ts`). */
const cursorPattern = /^([0-9a-f]{8}):(0|[1-9]\d{0,15}):([0-9a-f]{8})(?:~[A-Za-z0-9_-]{0,64})?$/

/** The position of a cursor. Rejects with an ApiError that names `place`, the parameter with the cursor. */
export async function readCursor(
  cursor: string,
  place: string,
  changes: Pick<ChangeLog, 'log' | 'previousLogs' | 'first' | 'end'>,
): Promise<number> {
  const [, log, digits, check] = cursorPattern.exec(cursor) ?? []
  if (check === undefined || check !== checksum(`${log}:${digits}`)) {
    throw invalidCursor(place, 'is not a valid cursor.')
  }
  if (changes.previousLogs.some((previous) => log === shortLogId(previous))) throw dataRestored()
  if (log !== shortLogId(changes.log)) {
    throw invalidCursor(place, 'is a cursor of another service.')
  }
  const position = Number(digits)
  if (position > (await changes.end())) throw invalidCursor(place, 'is a cursor past the end of the log.')
  if (position + 1 < (await changes.first())) throw changesPruned()
  return position
}

function invalidCursor(path: string, message: string): ApiError {
  return validationError([{ path, code: 'TYPE', message }])
}

/** The changes after the cursor were pruned. */
export function changesPruned(): ApiError {
  return new ApiError('GONE', 'The changes after this cursor are no longer stored.', {
    hint: 'Read the rows again and continue from a new cursor. The setting events.retentionSeconds sets how long changes are stored.',
  })
}

/** Positions are dense: if the first change is not the next position, changes were pruned. */
export function expectNoGap(page: readonly ChangeRecord[], position: number): void {
  if (page[0]!.position !== position + 1) throw changesPruned()
}

function dataRestored(): ApiError {
  return new ApiError('GONE', 'The data was restored from a backup after this cursor was issued.', {
    hint: 'Read the rows again and continue from a new cursor.',
  })
}

/** A short hash of the random log id: enough to distinguish logs. */
function shortLogId(log: string): string {
  return hash('sha256', log, 'hex').slice(0, 8)
}

function checksum(text: string): string {
  return hash('sha256', `twain change ${text}`, 'hex').slice(0, 8)
}
