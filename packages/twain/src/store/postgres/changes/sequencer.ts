// Assigns positions to the changes on PostgreSQL. The number `n` of an entry is drawn at its insert but becomes visible at
// its commit, possibly after a greater one. A reader that remembers the greatest `n` would miss entries. So one node at a
// time assigns positions to committed entries.
//
// 1. A batch is one transaction in one round trip, under an advisory lock of the same duration. Any node may assign the next
//    one, so no node has to notice the end of another.
// 2. A statement of its own takes the lock: the next statement sees everything that the previous batch assigned.
// 3. Positions follow the order of `n`. Who writes the next version of a row has waited for the commit of the previous one
//    and draws `n` after it. So a visible version has its predecessors visible too, with smaller numbers.
// 4. The work of a batch does not depend on how many entries wait. A batch knows the snapshot of the one before, and up to which
//    `n` that one assigned everything that it saw. Entries up to there can only be of transactions that this snapshot did not
//    see as ended: an index by transaction finds the least of them. From there, or from behind the last one, an index by `n` has the next
//    entries in their order. So no batch sorts what waits, or reads index entries that already have a position, which the
//    server can't remove during a long transaction. A batch by the order of transactions would be bounded too, and wrong: see 3. The
//    snapshot is of one server: after a lost connection, behind which another server may be, the search starts at the beginning.
// 5. A position that was read never goes to another change of this server: it is on disk first, whatever the server's settings.
// 6. A standby that takes over may lack positions that were read. So a batch first begins an epoch if the server's history is
//    not that of the newest epoch (`server-history.ts`).

import type { Log } from '#base'
import { clearInterval, monotonicTime, setInterval, sleep } from '#base/time'
import type { StorageFailures } from '../../observe/storage-failures.ts'
import { connect, type Database } from '../connect/connect.ts'
import type { Statement } from '../connect/queries.ts'
import { beginEpoch, type ServerHistory } from './server-history.ts'

/** A node assigns positions right after its own commit, and again after a pause that collects more. The pause grows with
 *  the load and the size of the batch. Single writes hardly wait; from about 400 writes a second the pause is at its
 *  maximum. */
const pauseMs = { min: 5, max: 20, perBatchMs: 10, perEntry: 2 }

/** A node also assigns positions for nodes that ended before they could. */
const pollIntervalMs = 500

const closeTimeoutMs = 2000

const maxBatchEntries = 10_000

const statementTimeoutSeconds = 30

/** Where the next batch starts its search (4). */
interface SearchStart {
  /** As `pg_snapshot` prints it. */
  snapshot: string
  /** Everything up to here that the snapshot sees has a position. */
  n: string
}

const greatest = String(2n ** 63n - 1n)

/** Nothing is known: the search is for every `n`, and no transaction ended late. */
const atBeginning: SearchStart = { snapshot: `${greatest}:${greatest}:`, n: '-1' }

interface AssignedBatch {
  given: string
  last: string
  epoch: string
  snapshot: string
  /** The greatest `n` of the batch. */
  top: string
}

export class Sequencer {
  readonly #database: Database
  /** The statements in front of `assignPositions`. */
  readonly #before: readonly Statement[]
  readonly #log: Log
  readonly #onAssigned: (newestEpoch: string) => void
  readonly #failures: StorageFailures | undefined
  readonly #poll: NodeJS.Timeout
  #start = atBeginning
  /** How often the connection was lost. */
  #losses = 0
  /** The epoch and the last position. */
  #end = ''
  #isDue = false
  #isClosed = false
  #running: Promise<void> | null = null
  #works = true

  /** `onAssigned` is called for new positions, whichever node assigned them. */
  constructor(
    address: string,
    history: ServerHistory,
    log: Log,
    onAssigned: (newestEpoch: string) => void,
    failures: StorageFailures | undefined,
  ) {
    this.#before = [
      { sql: lockLog, parameters: [] },
      { sql: beginEpoch(history), parameters: [] },
    ]
    this.#database = connect(address, { size: 1, time: statementTimeoutSeconds }, () => this.#resetStart())
    this.#log = log
    this.#onAssigned = onAssigned
    this.#failures = failures
    this.#poll = setInterval(() => this.wake(), pollIntervalMs).unref()
    this.wake()
  }

  /** There may be changes without a position. Cheap: many calls share a batch. */
  wake(): void {
    this.#isDue = true
    this.#running ??= this.#run()
  }

  /** Waits a moment for a running batch; a database that does not respond blocks nobody. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#poll)
    await Promise.race([this.#running, sleep(closeTimeoutMs, undefined, { ref: false })])
    await this.#database.end(1)
    await this.#running
  }

  async #run(): Promise<void> {
    while (this.#isDue && !this.#isClosed) {
      this.#isDue = false
      const began = monotonicTime()
      const assigned = await this.#assignBatch()
      const took = monotonicTime() - began
      const forEntries = pauseMs.min + assigned * pauseMs.perEntry
      await sleep(Math.min(pauseMs.max, forEntries, Math.max(pauseMs.min, took * pauseMs.perBatchMs)))
    }
    this.#running = null
  }

  /** Returns how many positions it assigned. */
  async #assignBatch(): Promise<number> {
    const losses = this.#losses
    try {
      const statements = [...this.#before, { sql: assignPositions, parameters: [this.#start.snapshot, this.#start.n] }]
      const results = await this.#database.runPrepared<AssignedBatch>(statements)
      const [batch] = results.at(-1) as [AssignedBatch]
      const assigned = Number(batch.given)
      const isFull = assigned === maxBatchEntries
      if (isFull) this.#isDue = true
      if (this.#losses === losses) this.#start = { snapshot: batch.snapshot, n: isFull ? batch.top : greatest }
      this.#works = true
      this.#notify(batch)
      return assigned
    } catch (error) {
      this.#resetStart()
      this.#failures?.explain(error)
      const { code, message } = error as { code?: string; message?: string }
      if (this.#works && !this.#isClosed) {
        this.#log.warn(
          { 'error.type': code, 'exception.message': message },
          'change log positions could not be assigned; retrying',
        )
      }
      this.#works = false
      return 0
    }
  }

  /** See 4. */
  #resetStart(): void {
    this.#losses++
    this.#start = atBeginning
  }

  #notify({ epoch, last }: AssignedBatch): void {
    const end = `${epoch} ${last}`
    if (end === this.#end) return
    this.#end = end
    this.#onAssigned(epoch)
  }
}

/** One batch at a time (1), and on disk (5). The plan of `assignPositions` outlives the size that the log has when it is made: it must not
 *  read the whole log. */
export const lockLog = `
  SELECT pg_advisory_xact_lock(hashtext('twain change log'), hashtext(current_schema())),
    set_config('synchronous_commit', CASE current_setting('synchronous_commit')
      WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, true),
    set_config('enable_seqscan', 'off', true)`

/** SQL of the NOTIFY channel of this log: a database may hold several logs. */
export const notifyChannel = `'twain ' || md5(current_schema())`

/** `$1` and `$2` are a `SearchStart` (4). `n + 0`: no index by `n` may find the late ones. */
export const assignPositions = assignPositionsTo(maxBatchEntries)

export function assignPositionsTo(entries: number): string {
  return `
  WITH late AS MATERIALIZED (
    SELECT n FROM twain_change WHERE seq IS NULL AND n + 0 <= $2::bigint AND tx >= pg_snapshot_xmax($1::text::pg_snapshot)
    UNION ALL SELECT n FROM twain_change WHERE seq IS NULL AND n + 0 <= $2::bigint
      AND tx = ANY (ARRAY(SELECT pg_snapshot_xip($1::text::pg_snapshot)))
  ), fresh AS MATERIALIZED (
    SELECT ctid AS place, n, version, row_number() OVER (ORDER BY n) AS nth FROM twain_change
    WHERE seq IS NULL AND n > least($2::bigint, (SELECT min(n) - 1 FROM late)) ORDER BY n LIMIT ${entries}
  ), numbered AS (
    UPDATE twain_change SET seq = twain_log.last + fresh.nth FROM fresh, twain_log WHERE twain_change.ctid = fresh.place
  ), ended AS (
    UPDATE twain_log SET last = last + given, top_version = greatest(top_version, top)
    FROM (SELECT count(*) AS given, max(version) AS top FROM fresh) AS batch WHERE given > 0
    RETURNING last, pg_notify(${notifyChannel}, '')
  )
  SELECT (SELECT count(*) FROM fresh) AS given, (SELECT max(n) FROM fresh) AS top, pg_current_snapshot()::text AS snapshot,
    coalesce((SELECT last FROM ended), twain_log.last) AS last, (SELECT id FROM twain_epoch ORDER BY n DESC LIMIT 1) AS epoch
  FROM twain_log`
}
