// The queue in SQL, on either database (`job-store.ts` describes it).

import { monotonicTime } from '#base/time'
import type { SqlValue } from '../../sql/encode.ts'
import type { QueryRows } from '../../sql/query.ts'
import { changeOnce } from '../change-once.ts'
import { type SystemTables, toText, toTime } from '../system-tables.ts'
import { inTurn, type JobQueries, jobColumns, laneOf, toClaimed, toJob } from './job-queries.ts'
import type {
  ChangedJob,
  ClaimedJob,
  Job,
  JobChange,
  JobCounts,
  JobFilter,
  JobKind,
  JobLease,
  JobOutcome,
  JobStore,
  NewJob,
  StoredSchedule,
} from './job-store.ts'
import { kindAndName } from './job-table.ts'

/** Small enough that no write waits long for the transaction. */
const maxDeletedRows = 1000

/** Corrections of a clock are smaller. */
const maxStepBackMs = 60_000

const anyVersion: JobChange = { version: null, under: null }

const anyRunning = `SELECT 1 FROM twain_job WHERE kind = ?1 AND state = 'running' LIMIT 1`
const unfinished = `state IN ('waiting', 'running')`

export class SqlJobStore implements JobStore {
  readonly isShared: boolean
  /** For transactions that enqueue jobs. */
  readonly queries: JobQueries
  readonly #tables: SystemTables
  readonly #listeners = new Map<() => void, JobKind>()
  /** The time of the last look at what is due; null: there was none. */
  #looked: { now: number; monotonic: number } | null = null

  constructor(tables: SystemTables, queries: JobQueries, isShared: boolean) {
    this.#tables = tables
    this.queries = queries
    this.isShared = isShared
  }

  async now(): Promise<number> {
    return toTime((await this.#read(`SELECT ${this.queries.time('?1')}`, this.queries.now))[0]![0])
  }

  async enqueue(job: NewJob): Promise<string> {
    const id = await this.queries.enqueue(job, (...queries) => this.#tables.run(...queries))
    this.enqueued(job.kind)
    return id
  }

  watch(kind: JobKind, listener: () => void): () => void {
    this.#listeners.set(listener, kind)
    return () => this.#listeners.delete(listener)
  }

  enqueued(kind: JobKind): void {
    for (const [listener, of] of this.#listeners) if (of === kind) listener()
  }

  async nextDue(kind: JobKind, names: readonly string[]): Promise<Map<string, number>> {
    const of = (state: string) => `FROM twain_job AS j WHERE j.kind = ?1 AND j.name = value AND j.state = '${state}'`
    const sql =
      `SELECT value, (SELECT j.due ${of('waiting')} AND ${inTurn} ORDER BY j.due, j._n LIMIT 1), (SELECT min(j.held) ${of('running')}), ` +
      `${this.queries.time('?3')} FROM ${this.#tables.dialect.jsonTexts('?2')}`
    const read = () => this.#read(sql, kind, JSON.stringify(names), this.queries.now)
    let rows = await read()
    if (rows.length > 0 && this.#wentBack(toTime(rows[0]![3]))) {
      await this.#moveBack()
      rows = await read()
    }
    return new Map(
      rows.flatMap(([name, due, held, now]): [string, number][] => {
        const times = [due, held].filter((time) => time !== null).map(toTime)
        return times.length === 0 ? [] : [[name as string, Math.min(...times) - toTime(now)]]
      }),
    )
  }

  /** Whether the clock was set back since the last look, or may have been before this process. */
  #wentBack(now: number): boolean {
    const monotonic = monotonicTime()
    const expected =
      this.#looked === null ? Number.POSITIVE_INFINITY : this.#looked.now + monotonic - this.#looked.monotonic
    this.#looked = { now, monotonic }
    return expected - now > maxStepBackMs
  }

  /** A job that waits for longer than its delay was computed by a clock that was ahead. */
  async #moveBack(): Promise<void> {
    const time = (plus: string) => this.queries.time('?1', plus)
    const isAhead = `state = 'waiting' AND due > ${time(`(delay + ${maxStepBackMs})`)}`
    const some = await this.#read(`SELECT 1 FROM twain_job WHERE ${isAhead} LIMIT 1`, this.queries.now)
    if (some.length === 0) return // a start usually writes nothing
    await this.#change(`UPDATE twain_job SET due = ${time('delay')} WHERE ${isAhead}`, this.queries.now)
  }

  async claim(kind: JobKind, name: string, most: number, lease: JobLease): Promise<ClaimedJob[]> {
    return toClaimed((await this.#tables.run(this.queries.claim(kind, name, most, lease)))[0]!)
  }

  async renew(ids: readonly string[], { holder, leaseMs }: JobLease): Promise<Set<string>> {
    const sql =
      `UPDATE twain_job SET held = ${this.queries.time('?1', '?2')} WHERE holder = ?3 AND state = 'running' ` +
      `AND id IN (SELECT value FROM ${this.#tables.dialect.jsonTexts('?4')}) RETURNING id`
    const rows = await this.#change(sql, this.queries.now, leaseMs, holder, JSON.stringify(ids))
    return new Set(rows.map(([id]) => id as string))
  }

  async finish(id: string, holder: string, outcome: JobOutcome): Promise<boolean> {
    const { state, attempts } = outcome
    const again = state === 'waiting' ? outcome : null
    const wait =
      again === null
        ? ''
        : `due = ${this.queries.time('?1', '?5')}, delay = CAST(CAST(?5 AS double precision) AS bigint), `
    const sql =
      `UPDATE twain_job SET state = ?2, finished = CASE WHEN ?2 = 'waiting' THEN NULL ELSE ${this.queries.time('?1')} END, ` +
      `attempts = ?3, tries = tries - CAST(?4 AS INTEGER), ${wait}holder = NULL, held = NULL, _version = _version + 1 ` +
      `WHERE id = ?${again === null ? 5 : 6} AND holder = ?${again === null ? 6 : 7} RETURNING 1`
    const values = [this.queries.now, state, JSON.stringify(attempts), again?.isReleased === true ? 1 : 0]
    const delay = again === null ? [] : [again.delayMs]
    return (await this.#change(sql, ...values, ...delay, id, holder)).length > 0
  }

  async release(kind: JobKind, holder: string | null): Promise<void> {
    if (holder === null && (await this.#read(anyRunning, kind)).length === 0) return // a start usually writes nothing
    const sql =
      `UPDATE twain_job SET state = 'waiting', tries = tries - ${holder === null ? 0 : 1}, holder = NULL, held = NULL, ` +
      `_version = _version + 1 WHERE kind = ?1 AND state = 'running' AND holder = coalesce(?2, holder)`
    await this.#change(sql, kind, holder)
  }

  async otherNames(kind: JobKind, names: readonly string[]): Promise<string[]> {
    const sql =
      `SELECT DISTINCT name FROM twain_job WHERE kind = ?1 AND state = 'waiting' AND due <= ${this.queries.time('?3')} ` +
      `AND name NOT IN (SELECT value FROM ${this.#tables.dialect.jsonTexts('?2')}) ORDER BY name`
    const rows = await this.#read(sql, kind, JSON.stringify(names), this.queries.now)
    return rows.map(([name]) => name as string)
  }

  async count(kind: JobKind): Promise<JobCounts> {
    const sql =
      `SELECT state, count(*) FROM twain_job WHERE kind = ?1 AND state = 'waiting' GROUP BY state ` +
      `UNION ALL SELECT state, count(*) FROM twain_job WHERE kind = ?1 AND state = 'running' GROUP BY state ` +
      `UNION ALL SELECT state, count(*) FROM twain_job WHERE kind = ?1 AND state = 'failed' GROUP BY state`
    const found = new Map((await this.#read(sql, kind)).map(([state, count]) => [state, Number(count)]))
    const of = (state: keyof JobCounts) => found.get(state) ?? 0
    return { waiting: of('waiting'), running: of('running'), failed: of('failed') }
  }

  async list({ kind, name = null, state = null, offset, limit }: JobFilter): Promise<Job[]> {
    const values: SqlValue[] = [kind, limit, offset]
    const named = name === null ? '' : ` AND ${kindAndName} = ?${values.push(`${kind}:${name}`)}`
    // The state is a part of the text, so that the index of failed jobs can be used.
    const sql =
      `SELECT ${jobColumns} FROM twain_job WHERE kind = ?1${named}${state === null ? '' : ` AND state = '${state}'`} ` +
      'ORDER BY _n DESC LIMIT CAST(?2 AS INTEGER) OFFSET CAST(?3 AS INTEGER)'
    return (await this.#read(sql, ...values)).map(toJob)
  }

  async find(kind: JobKind, id: string): Promise<Job | null> {
    const [row] = await this.#read(`SELECT ${jobColumns} FROM twain_job WHERE kind = ?1 AND id = ?2`, kind, id)
    return row === undefined ? null : toJob(row)
  }

  /** It counts as started, so that another job may wait under its key. */
  async retry(kind: JobKind, id: string, change: JobChange = anyVersion): Promise<ChangedJob | null> {
    const now = this.queries.time('?1')
    const set = `state = 'waiting', finished = NULL, tries = 0, due = ${now}, delay = 0, started = coalesce(started, ${now})`
    const job = await this.#changeOne(kind, id, set, 'finished IS NOT NULL', change)
    if (job !== null) this.enqueued(kind)
    return job
  }

  cancel(kind: JobKind, id: string, change: JobChange = anyVersion): Promise<ChangedJob | null> {
    const set = `state = 'cancelled', finished = ${this.queries.time('?1')}, holder = NULL, held = NULL`
    return this.#changeOne(kind, id, set, unfinished, change)
  }

  /** `?1` in `set` is the time. */
  async #changeOne(
    kind: JobKind,
    id: string,
    set: string,
    when: string,
    change: JobChange,
  ): Promise<ChangedJob | null> {
    const { version, under, readBack } = change
    const { query, now } = this.queries
    const isIt = (first: number) =>
      `kind = ?${first} AND id = ?${first + 1} AND ${when} AND _version = coalesce(CAST(?${first + 2} AS INTEGER), _version)`
    const lock = this.#tables.dialect.lock.change
    const changed = {
      under,
      possible: [`SELECT 1 FROM twain_job WHERE ${isIt(6)}${lock}`, kind, id, version],
      change: [`UPDATE twain_job SET ${set}, _version = _version + 1 WHERE ${isIt(2)}`, now, kind, id, version],
      returning: jobColumns,
      more: readBack === undefined ? [] : [readBack],
    } satisfies Parameters<typeof changeOnce>[0]
    const [[row] = [], back] = await changeOnce(changed, this.#tables, query)
    return row === undefined ? null : { ...toJob(row), row: back?.[0] ?? null }
  }

  async prune(kind: JobKind, ageMs: number): Promise<number> {
    const some =
      `SELECT id FROM twain_job WHERE kind = ?1 AND finished < ?2 ` +
      `LIMIT CAST(?3 AS INTEGER)${this.#tables.dialect.skipLocked}`
    const before = toText(this.#tables.clock.past(ageMs) - ageMs)
    for (let all = 0; ; ) {
      const sql = `DELETE FROM twain_job WHERE id IN (${some}) RETURNING 1`
      const { length } = await this.#change(sql, kind, before, maxDeletedRows)
      all += length
      if (length < maxDeletedRows) return all
    }
  }

  async schedules(): Promise<StoredSchedule[]> {
    const rows = await this.#read('SELECT name, spec, tick FROM twain_schedule')
    return rows.map(([name, spec, tick]) => ({ name: name as string, spec: spec as string, tick: toTime(tick) }))
  }

  async saveSchedule({ name, spec, tick }: StoredSchedule, previous: StoredSchedule | null): Promise<void> {
    const sql =
      'INSERT INTO twain_schedule (name, spec, tick) VALUES (?1, ?2, ?3) ' +
      'ON CONFLICT (name) DO UPDATE SET spec = excluded.spec, tick = excluded.tick WHERE twain_schedule.spec = ?4'
    await this.#change(sql, name, spec, toText(tick), previous?.spec ?? null)
  }

  /** The job is enqueued if this call has advanced the tick: then the schedule has the new id. */
  async fire({ name, spec, tick }: StoredSchedule, next: number, job: NewJob): Promise<boolean> {
    const { id = '', kind, key, payload, by } = job
    const now = this.queries.time('?1')
    const advance = `UPDATE twain_schedule SET tick = ?2, job = ?3 WHERE name = ?4 AND spec = ?5 AND tick = ?6 AND tick <= ${now} RETURNING 1`
    const insert =
      'INSERT INTO twain_job (id, kind, name, key, lane, payload, by, state, created, due, delay) ' +
      `SELECT ?2, ?3, ?4, ?5, ?8, ?6, ?7, 'waiting', ${now}, ${now}, 0 FROM twain_schedule WHERE name = ?4 AND job = ?2 ` +
      'ON CONFLICT DO NOTHING'
    const { query, now: time } = this.queries
    const [advanced] = await this.#tables.run(
      query(advance, time, toText(next), id, name, spec, toText(tick)),
      query(insert, time, id, kind, name, key, payload, by, laneOf(kind, name, key)),
    )
    if (advanced!.length > 0) this.enqueued(kind)
    return advanced!.length > 0
  }

  #read(sql: string, ...parameters: SqlValue[]): QueryRows | Promise<QueryRows> {
    return this.#tables.read(this.queries.query(sql, ...parameters))
  }

  async #change(sql: string, ...parameters: SqlValue[]): Promise<QueryRows> {
    return (await this.#tables.run(this.queries.query(sql, ...parameters)))[0]!
  }
}
