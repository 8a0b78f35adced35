// The statements that put jobs into the queue and claim them. An open transaction of custom code enqueues with them, and the
// webhook store claims deliveries with them.

import { uuidv7 } from '#base'
import type { SqlValue } from '../../sql/encode.ts'
import type { Query, QueryRows } from '../../sql/query.ts'
import type { WriteDialect } from '../../sql/write-dialect.ts'
import { type SystemQuery, systemQuery, toText, toTime } from '../system-tables.ts'
import type { ClaimedJob, Job, JobAttempt, JobKind, JobLease, JobState, NewJob } from './job-store.ts'
import { isCoalesced } from './job-table.ts'

export const jobColumns =
  'id, kind, name, key, payload, by, state, created, due, until, started, finished, tries, attempts, _version'

/** Whether no other job of its lane must end before the job `j`. */
export const inTurn =
  '(j.lane IS NULL OR NOT EXISTS (SELECT 1 FROM twain_job AS e WHERE e.lane = j.lane AND e.finished IS NULL AND e._n <> j._n ' +
  `AND (e.state = 'running' OR e._n < j._n)))`

/** A condition, with a placeholder for the position of its first value. */
export interface ClaimCondition {
  sql(first: number): string
  values: SqlValue[]
}

export class JobQueries {
  readonly query: SystemQuery
  readonly #dialect: WriteDialect
  readonly #clock: (() => number) | null

  /** Without a clock, times are those of the database. */
  constructor(dialect: WriteDialect, clock: (() => number) | null) {
    this.#dialect = dialect
    this.#clock = clock
    this.query = systemQuery(dialect)
  }

  /** SQL of the time that is `plus` milliseconds from now; `now` is the placeholder of `this.now`. */
  time(now: string, plus = '0'): string {
    return this.#dialect.time(now, plus)
  }

  /** The value for the placeholder of the time: null stands for the database's time. */
  get now(): string | null {
    return this.#clock === null ? null : toText(this.#clock())
  }

  /** Returns the id of the job. `run` runs the queries in one transaction, or in one each. */
  async enqueue(job: NewJob, run: (...queries: Query[]) => Promise<readonly QueryRows[]>): Promise<string> {
    for (;;) {
      const made = await run(this.insert(job))
      // Only if there is one already: in a serializable transaction, a read of the index conflicts with others that enqueue jobs.
      const found = made[0]!.length > 0 ? made : await run(...this.#findWaiting(job))
      for (const rows of found) if (rows.length > 0) return rows[0]![0] as string
      // The job that waited under the key has begun meanwhile.
    }
  }

  insert({ id = uuidv7(), kind, name, key, payload, at, by }: NewJob): Query {
    const now = this.time('?8')
    const sql =
      'INSERT INTO twain_job (id, kind, name, key, lane, payload, by, state, created, due, delay) ' +
      `VALUES (?1, ?2, ?3, ?4, ?9, ?5, ?6, 'waiting', ${now}, coalesce(?7, ${now}), ${at === null ? 0 : 'NULL'}) ON CONFLICT DO NOTHING RETURNING id`
    const due = at === null ? null : toText(at)
    return this.query(sql, id, kind, name, key, payload, by, due, this.now, laneOf(kind, name, key))
  }

  /** Enqueues a job that may begin now and has no key, if the condition holds. */
  insertIf(condition: ClaimCondition, { id = uuidv7(), kind, name, payload, by }: Omit<NewJob, 'key' | 'at'>): Query {
    const now = this.time('?6')
    const sql =
      'INSERT INTO twain_job (id, kind, name, payload, by, state, created, due, delay) ' +
      `SELECT ?1, ?2, ?3, ?4, ?5, 'waiting', ${now}, ${now}, 0 WHERE ${condition.sql(7)}`
    return this.query(sql, id, kind, name, payload, by, this.now, ...condition.values)
  }

  /** The lock keeps the job that waits under the key from beginning before this transaction ends. */
  #findWaiting({ id, kind, name, key }: NewJob): Query[] {
    const waiting = `SELECT id FROM twain_job WHERE kind = ?1 AND name = ?2 AND key = ?3 AND ${isCoalesced}`
    return [
      this.query('SELECT id FROM twain_job WHERE id = ?1', id ?? null),
      this.query(`${waiting}${this.#dialect.lockShared}`, kind, name, key),
    ]
  }

  claim(kind: JobKind, name: string, most: number, lease: JobLease, condition: ClaimCondition | null = null): Query {
    const now = this.time('?3')
    // Two lists, because each has an index of its own.
    const some = (condition: string, order: string) =>
      `SELECT j.id FROM twain_job AS j WHERE j.kind = ?1 AND j.name = ?2 AND ${condition} ORDER BY ${order} ` +
      `LIMIT CAST(?4 AS INTEGER)${this.#dialect.skipLocked}`
    const waiting = some(`j.state = 'waiting' AND j.due <= ${now} AND ${inTurn}`, 'j.due, j._n')
    const lost = some(`j.state = 'running' AND j.held <= ${now}`, 'j.held')
    const both = 'SELECT id FROM lost UNION ALL SELECT id FROM waiting LIMIT CAST(?4 AS INTEGER)'
    const sql =
      `WITH waiting AS MATERIALIZED (${waiting}), lost AS MATERIALIZED (${lost}) ` +
      `UPDATE twain_job SET state = 'running', holder = ?5, held = ${this.time('?3', '?6')}, ` +
      `started = coalesce(started, ${now}), tries = tries + 1, _version = _version + 1, ` +
      `taken_from = CASE WHEN state = 'running' THEN holder ELSE NULL END WHERE id IN (${both})` +
      `${condition === null ? '' : ` AND ${condition.sql(7)}`} RETURNING ${jobColumns}, taken_from, _n`
    const { holder, leaseMs } = lease
    return this.query(sql, kind, name, this.now, most, holder, leaseMs, ...(condition?.values ?? []))
  }
}

/** Null: the job may run beside all others. */
export function laneOf(kind: JobKind, name: string, lane: string | null): string | null {
  return lane === null ? null : `${kind}:${name}:${lane}`
}

/** In the order in which they were enqueued. */
export function toClaimed(rows: QueryRows): ClaimedJob[] {
  return rows
    .toSorted((a, b) => Number(a[16]) - Number(b[16]))
    .map((row) => ({ ...toJob(row), isTakenOver: row[15] !== null }))
}

export function toJob(row: SqlValue[]): Job {
  const [id, kind, name, key, payload, by, state, created, due, until, started, finished, tries, attempts, version] =
    row
  const orNull = (time: SqlValue | undefined) => (time === null || time === undefined ? null : toTime(time))
  return {
    id: id as string,
    kind: kind as JobKind,
    name: name as string,
    key: key as string | null,
    payload: payload as string,
    by: by as string | null,
    state: state as JobState,
    created: toTime(created),
    due: toTime(due),
    until: orNull(until),
    started: orNull(started),
    finished: orNull(finished),
    tries: Number(tries),
    attempts: JSON.parse(attempts as string) as JobAttempt[],
    version: Number(version),
  }
}
