// Epochs of the change log. A failover to a standby that lacked the last commits, and the restore of a backup, make the log go
// on from an earlier position: the same positions are assigned again, to other changes. Each such event begins an epoch.
//
// 1. A cursor names the epoch that assigned its position. A position of an epoch is valid up to the position after which
//    the next epoch begins. After a failover without loss every position stays valid.
// 2. The id of an epoch is random: two standbys that take over from the same primary, one after the other, begin two epochs.
//    The first one was lost with its server, so its id is unknown to the second.
// 3. Versions of rows skip once in each epoch (`versionFloor`), so that no version of the lost past is used again.

import { ApiError } from '#base'

/** A place in the log: behind the change that the epoch has assigned this position to. */
export interface LogPoint {
  epoch: string
  position: number
}

/** Without the other members of an event. */
export function pointOf({ epoch, position }: LogPoint): LogPoint {
  return { epoch, position }
}

interface Epoch {
  id: string
  /** The position after which it begins. */
  after: number
}

/** Older epochs count as unknown: their changes are no longer stored. */
const maxEpochs = 100

const lastEpochs = `SELECT n, id, after_position FROM twain_epoch ORDER BY n DESC LIMIT ${maxEpochs}`

/** SQL of all epochs as one text, which `Epochs.parse` reads: a statement gets changes and epochs from the same state. */
export const epochsText = `(SELECT string_agg(id || ':' || after_position, ' ' ORDER BY n) FROM (${lastEpochs}) AS epochs)`

/** How far versions skip at least: more than the changes that one row can have within the lag at which a standby may still take over
 *  (Patroni's `maximum_lag_on_failover` is 1 MB by default, about 5,000 writes). */
export const versionsSkipped = 100_000

/** The version of a row after `previous`: beyond every version that earlier epochs may have assigned. */
export function nextVersion(previous: number, versionFloor: number): number {
  return Math.max(previous, versionFloor) + 1
}

export class Epochs {
  /** In ascending order, never empty. */
  readonly #epochs: readonly Epoch[]

  static parse(text: string): Epochs {
    return new Epochs(
      text.split(' ').map((one) => {
        const [id, after] = one.split(':') as [string, string]
        return { id, after: Number(after) }
      }),
    )
  }

  private constructor(epochs: readonly Epoch[]) {
    this.#epochs = epochs
  }

  get newest(): string {
    return this.#epochs.at(-1)!.id
  }

  has(id: string): boolean {
    return this.#epochs.some((epoch) => epoch.id === id)
  }

  /** The point of a position of this history. The epoch is the one that assigned it, so each position has one point. */
  point(position: number): LogPoint {
    const epoch = this.#epochs.findLast(({ after }) => after < position) ?? this.#epochs[0]!
    return { epoch: epoch.id, position }
  }

  /** Throws ChangesLost if a change up to this point was lost. */
  require(point: LogPoint): void {
    const end = this.#endOf(point.epoch)
    if (end === null || point.position > end) throw new ChangesLost(end === null ? null : this.point(end))
  }

  /** The last valid position of an epoch; null if it is unknown. */
  #endOf(id: string): number | null {
    const at = this.#epochs.findIndex((epoch) => epoch.id === id)
    if (at === -1) return null
    return this.#epochs[at + 1]?.after ?? Number.POSITIVE_INFINITY
  }
}

/** The log lacks changes that a reader has read. */
export class ChangesLost extends ApiError {
  /** The last point that the reader shares with this history; null if that is not known. */
  readonly kept: LogPoint | null

  constructor(kept: LogPoint | null) {
    super(
      'GONE',
      'The database has lost changes before this cursor: by a failover, or because a backup was restored.',
      {
        hint: 'Read the rows again and continue from a new cursor.',
      },
    )
    this.kept = kept
  }
}
