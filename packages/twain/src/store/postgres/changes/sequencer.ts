// Gives the changes on PostgreSQL their positions. The number `n` of a line is drawn when it is inserted but seen when its
// transaction commits, which may be later than a greater one: so a reader that remembers the greatest `n` would miss lines.
// Positions are given to lines that are committed, by one node at a time.
//
// 1. A batch is one transaction (one message: nothing of it is ever half done), under an advisory lock that lasts as long.
//    Any node may give the next one, so that there is nobody whose end would have to be noticed.
// 2. The lock is taken by a statement of its own: the next one sees all that the batch before has given.
// 3. In the order of `n`. Who writes the next version of a row has waited for the former to be committed, and draws `n`
//    after that: so a version that is seen here has those before it seen too, with lesser numbers.
// 4. A transaction that was not over when a batch looked has an `xid` from the oldest then running on. So the next batch
//    looks only from there, and not at all the entries of the index that are of lines with a position, which the server
//    can't clear away while someone has a long transaction. This holds for a server's own counting: not across a lost
//    connection, behind which there may be another server, and not when a batch was full.
// 5. A position that was read is never given to another change: it is on disk first, whatever the server is set to.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '#base'
import { connect, type Database } from '../connect/connect.ts'

/** Milliseconds. A node gives positions right after a commit of its own, and then again after a pause, in which more come
 *  together: the busier the server, and the more there was to give, the longer. Where writes come one by one they hardly
 *  wait; from some 400 a second on the pause is as long as it gets. */
const pauseMs = { least: 5, most: 20, ofBatch: 10, ofLine: 2 }

/** Milliseconds: by then a node gives those of another that ended before it could. */
const pollIntervalMs = 500

/** Milliseconds. */
const closeTimeoutMs = 2000

const maxBatchEntries = 10_000

/** Seconds. */
const statementTimeoutSeconds = 30

/** Before all transactions. */
const firstTransaction = '0'

interface AssignedBatch {
  given: string
  last: string
  oldest: string
}

export class Sequencer {
  readonly #database: Database
  readonly #log: Log
  readonly #onAssigned: () => void
  readonly #poll: NodeJS.Timeout
  /** Where the next batch begins to look. */
  #minTransaction = firstTransaction
  /** How often a connection was lost. */
  #losses = 0
  #last = 0
  #isDue = false
  #isClosed = false
  #running: Promise<void> | null = null
  #works = true

  /** `told` is called when there are new positions, whoever gave them. */
  constructor(address: string, log: Log, told: () => void) {
    this.#database = connect(address, { size: 1, time: statementTimeoutSeconds }, () => this.#resetMinTransaction())
    this.#log = log
    this.#onAssigned = told
    this.#poll = setInterval(() => this.wake(), pollIntervalMs).unref()
    this.wake()
  }

  /** There may be changes without a position. Cheap: however many call, a batch is given once in a while. */
  wake(): void {
    this.#isDue = true
    this.#running ??= this.#run()
  }

  /** A batch that is under way has a moment: a database that says nothing any more holds nobody up. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#poll)
    await Promise.race([this.#running, sleep(closeTimeoutMs, null, { ref: false })])
    await this.#database.end({ timeout: 1 })
    await this.#running
  }

  async #run(): Promise<void> {
    while (this.#isDue && !this.#isClosed) {
      this.#isDue = false
      const began = performance.now()
      const given = await this.#assignBatch()
      const took = performance.now() - began
      const ofLines = pauseMs.least + given * pauseMs.ofLine
      await sleep(Math.min(pauseMs.most, ofLines, Math.max(pauseMs.least, took * pauseMs.ofBatch)))
    }
    this.#running = null
  }

  /** How many it gave. */
  async #assignBatch(): Promise<number> {
    const losses = this.#losses
    try {
      const [, [batch]] = (await this.#database.unsafe(assignStatement(this.#minTransaction)).simple()) as unknown as [
        unknown,
        [AssignedBatch],
      ]
      const given = Number(batch.given)
      if (given === maxBatchEntries) this.#isDue = true
      else if (this.#losses === losses) this.#minTransaction = batch.oldest
      this.#works = true
      this.#notify(Number(batch.last))
      return given
    } catch (error) {
      this.#resetMinTransaction()
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
  #resetMinTransaction(): void {
    this.#losses++
    this.#minTransaction = firstTransaction
  }

  #notify(last: number): void {
    if (last === this.#last) return
    this.#last = last
    this.#onAssigned()
  }
}

/** A message of two statements, which the server runs as one transaction. `floor` is the server's own number. */
function assignStatement(floor: string): string {
  return `
    SELECT pg_advisory_xact_lock(hashtext('twain change log'), hashtext(current_schema())),
      set_config('synchronous_commit', CASE current_setting('synchronous_commit')
        WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, true);
    WITH snapshot AS (
      SELECT pg_snapshot_xmin(pg_current_snapshot()) AS oldest
    ), fresh AS MATERIALIZED (
      SELECT ctid AS place, row_number() OVER (ORDER BY n) AS nth FROM twain_change
      WHERE seq IS NULL AND tx >= '${floor}'::xid8 ORDER BY n LIMIT ${maxBatchEntries}
    ), numbered AS (
      UPDATE twain_change SET seq = twain_log.last + fresh.nth FROM fresh, twain_log WHERE twain_change.ctid = fresh.place
    ), ended AS (
      UPDATE twain_log SET last = last + given FROM (SELECT count(*) AS given FROM fresh) AS batch WHERE given > 0
      RETURNING last, pg_notify(${notifyChannel}, '')
    )
    SELECT (SELECT count(*) FROM fresh) AS given, coalesce((SELECT last FROM ended), twain_log.last) AS last, oldest
    FROM twain_log, snapshot`
}

/** SQL of the name under which all nodes of this log hear of new positions: a database may hold several logs. */
export const notifyChannel = `'twain ' || md5(current_schema())`
