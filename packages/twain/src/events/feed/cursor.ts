// Cursors of the change log. The same cursor resumes the feed, subscriptions and event streams. It holds the log and a point,
// which only Twain can read. A changed cursor and one of another log are validation errors. A cursor whose changes were
// pruned or lost is GONE. So no reader misses a change without an error.
//
//   cursor = log ":" encrypted point     (letters, digits, "-", "_" and one colon: safe in URLs and headers)

import { hash } from 'node:crypto'
import { ApiError, validationError } from '#base'
import { randomBytes } from '#base/time'
import { type ChangeLog, type ChangeRecord, ChangesLost, type LogPoint, type MachineCredentialStore } from '#store'
import { CursorCipher, cipherTextLength } from './cursor-cipher.ts'

const secretName = 'cursors'

/** The secret of cursors is stored with the data, so all nodes use the same. */
export async function openCursors(
  changes: Pick<ChangeLog, 'log' | 'bounds'>,
  credentials: Pick<MachineCredentialStore, 'secrets' | 'saveSecret'>,
  clock: () => number,
): Promise<Cursors> {
  const stored = async () => (await credentials.secrets()).find(({ name }) => name === secretName)
  let secret = await stored()
  if (secret === undefined) {
    const value = randomBytes(32).toString('base64url')
    await credentials.saveSecret({ name: secretName, value, created: clock() })
    secret = (await stored())!
  }
  return new Cursors(changes, secret.value)
}

/** The part after `~` proves that a stream owns its ticket (`auth/tokens/tickets.ts`). */
const cursorPattern = new RegExp(`^([0-9a-f]{8}):([\\w-]{${cipherTextLength}})(?:~[\\w-]{0,64})?$`)

export class Cursors {
  readonly #changes: Pick<ChangeLog, 'log' | 'bounds'>
  readonly #name: string
  readonly #cipher: CursorCipher

  constructor(changes: Pick<ChangeLog, 'log' | 'bounds'>, secret: string) {
    this.#changes = changes
    this.#name = logName(changes.log)
    this.#cipher = new CursorCipher(secret, changes.log)
  }

  write(point: LogPoint): string {
    return `${this.#name}:${this.#cipher.encrypt(point)}`
  }

  /** The point of a cursor. Rejects with an ApiError that names `place`, the parameter with the cursor. */
  async read(cursor: string, place: string): Promise<LogPoint> {
    const [, name, text] = cursorPattern.exec(cursor) ?? []
    if (text === undefined) throw invalidCursor(place, 'is not a valid cursor.')
    if (name !== this.#name) throw invalidCursor(place, 'is a cursor of another service.')
    const point = this.#cipher.decrypt(text)
    if (point === null) throw invalidCursor(place, 'is not a valid cursor.')
    await this.expectStored(point)
    return point
  }

  /** Rejects with GONE if the log no longer has the changes after a point, or has lost changes up to it. */
  async expectStored(point: LogPoint): Promise<void> {
    const { start, end } = await this.#changes.bounds(point)
    if (point.position > end.position) throw new ChangesLost(end)
    if (point.position < start.position) throw changesPruned()
  }
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
export function hasGap(page: readonly ChangeRecord[], { position }: LogPoint): boolean {
  return page[0]!.position !== position + 1
}

export function expectNoGap(page: readonly ChangeRecord[], point: LogPoint): void {
  if (hasGap(page, point)) throw changesPruned()
}

/** A short hash of the random log id: enough to distinguish logs. */
function logName(log: string): string {
  return hash('sha256', log, 'hex').slice(0, 8)
}
