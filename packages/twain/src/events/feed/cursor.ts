// Cursors of the change log: one resumes everywhere, in the feed, in subscriptions and over event streams. A cursor names its
// log and a position, and is checked: one that was tampered with, of another log or past the end is refused, one whose
// changes are no longer kept is GONE. Nobody ever reads on in silence behind a gap.
//
//   cursor = log ":" position ":" checksum     (letters, digits and colons alone: it stands in URLs and headers as it is)

import { hash } from 'node:crypto'
import { ApiError, validationError } from '#base'
import type { ChangeLog } from '#store'

export function writeCursor(log: string, position: number): string {
  const named = `${shortName(log)}:${position}`
  return `${named}:${checksum(named)}`
}

/** What stands behind a `~` is for whom a stream belongs to (`auth/tickets.ts`). */
const form = /^([0-9a-f]{8}):(0|[1-9]\d{0,15}):([0-9a-f]{8})(?:~[A-Za-z0-9_-]{0,64})?$/

/** Where to read on. Rejects with a Fault; `place` is where the request has it. */
export async function readCursor(
  cursor: string,
  place: string,
  changes: Pick<ChangeLog, 'log' | 'previousLogs' | 'first' | 'end'>,
): Promise<number> {
  const [, log, digits, check] = form.exec(cursor) ?? []
  if (check === undefined || check !== checksum(`${log}:${digits}`)) {
    throw wrong(place, 'is no cursor of ours, or was changed on its way.')
  }
  if (changes.previousLogs.some((former) => log === shortName(former))) throw restored()
  if (log !== shortName(changes.log)) {
    throw wrong(place, 'is a cursor of the log of another service.')
  }
  const position = Number(digits)
  if (position > (await changes.end())) throw wrong(place, 'is a cursor behind the end of the log.')
  if (position + 1 < (await changes.first())) throw changesPruned()
  return position
}

function wrong(path: string, message: string): ApiError {
  return validationError([{ path, code: 'TYPE', message }])
}

/** What came behind the cursor is not kept any more. */
export function changesPruned(): ApiError {
  return new ApiError('GONE', 'The changes behind this cursor are not kept any more.', {
    hint: 'Read the rows themselves again, and go on from a new cursor. The setting events.retentionSeconds says how long changes are kept.',
  })
}

function restored(): ApiError {
  return new ApiError('GONE', 'The data was restored from a backup since this cursor was given.', {
    hint: 'Read the rows themselves again, and go on from a new cursor.',
  })
}

/** Of the log's id, which is long and by chance: enough to tell logs apart that somebody has. */
function shortName(log: string): string {
  return hash('sha256', log, 'hex').slice(0, 8)
}

function checksum(named: string): string {
  return hash('sha256', `twain change ${named}`, 'hex').slice(0, 8)
}
