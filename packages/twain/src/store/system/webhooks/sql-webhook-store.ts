// The webhook store in SQL, on either database (`webhook-store.ts` describes it). Loaded on first use.

import { type LogPoint, nextVersion } from '../../changes/epochs.ts'
import type { SqlValue } from '../../sql/encode.ts'
import type { Query, QueryRows } from '../../sql/query.ts'
import { type ChangedRow, changeRowOnce, keepOnce, type RequestedChange, type SystemText } from '../change-once.ts'
import { deleteExpired } from '../idempotency-table.ts'
import { type JobQueries, laneOf, toClaimed } from '../jobs/job-queries.ts'
import type { ClaimedJob, JobLease } from '../jobs/job-store.ts'
import type { SqlJobStore } from '../jobs/sql-job-store.ts'
import { type SystemTables, toText, toTime } from '../system-tables.ts'
import { toDelivery } from './webhook-delivery.ts'
import type { DeliveryRestart, Webhook, WebhookDelivery, WebhookFeeding, WebhookStore } from './webhook-store.ts'
import { webhookColumns } from './webhook-tables.ts'

/** Small enough that no write waits long for the transaction. */
const maxDeletedRows = 1000

const noRequest: RequestedChange = { under: null }

const ofWebhook = webhookColumns.slice(0, 14).join(', ')

export class SqlWebhookStore implements WebhookStore {
  readonly #tables: SystemTables
  readonly #jobs: SqlJobStore
  readonly #queries: JobQueries

  constructor(tables: SystemTables, jobs: SqlJobStore) {
    this.#tables = tables
    this.#jobs = jobs
    this.#queries = jobs.queries
  }

  async list(): Promise<Webhook[]> {
    return (await this.#read(`SELECT ${ofWebhook} FROM twain_webhook ORDER BY created, id`)).map(toWebhook)
  }

  async find(id: string): Promise<Webhook | null> {
    const [row] = await this.#read(`SELECT ${ofWebhook} FROM twain_webhook WHERE id = ?1`, id)
    return row === undefined ? null : toWebhook(row)
  }

  keep(change: RequestedChange): Promise<ChangedRow | null> {
    return keepOnce(change, this.#tables, this.#queries.query)
  }

  async add(webhook: Webhook, most: number, change = noRequest): Promise<ChangedRow | null> {
    const places = webhookColumns.slice(0, 14).map((_, index) => `?${index + 1}`)
    const { id, url, version, created, changed, cursor } = webhook
    const values = [id, url, ...writable(webhook), ...ownerOf(webhook)]
    values.push(version, toText(created), toText(changed), cursorText(cursor))
    const make = (from: string) =>
      `INSERT INTO twain_webhook (${ofWebhook}) SELECT ${places.join(', ')} FROM (${from}) AS there WHERE TRUE`
    // Returns one row, whether or not there are webhooks.
    const belowLimit = (place: string) =>
      `SELECT 1 FROM (SELECT count(*) AS n FROM twain_webhook) AS all_of WHERE n < ${place}`
    const insert: SystemText =
      change.under === null ? [make(belowLimit('?15')), ...values, most] : [make('SELECT 1'), ...values]
    return this.#changeOnce(change, [belowLimit('?6'), most], insert)
  }

  async save(
    webhook: Webhook,
    was: number,
    anew: DeliveryRestart | null,
    change = noRequest,
  ): Promise<ChangedRow | null> {
    const { id, url, version, changed } = webhook
    const save =
      'UPDATE twain_webhook SET url = ?1, events = ?2, filter = ?3, secret = ?4, active = ?5, paused = ?6, account = ?7, ' +
      'roles = ?8, machine_key = ?9, version = ?10, changed = ?11, cursor = coalesce(?12, cursor) WHERE id = ?13 AND version = ?14'
    const wake =
      `UPDATE twain_job SET due = ${this.#queries.time('?1')}, delay = 0, until = ${this.#queries.time('?1', '?2')} ` +
      "WHERE kind = 'delivery' AND name = ?3 AND state IN ('waiting', 'running') " +
      'AND EXISTS (SELECT 1 FROM twain_webhook WHERE id = ?3 AND version = ?4)'
    return this.#changeOnce(
      change,
      [`SELECT 1 FROM twain_webhook WHERE id = ?6 AND version = ?7${this.#tables.dialect.lock.change}`, id, was],
      [
        save,
        ...[url, ...writable(webhook), ...ownerOf(webhook), version, toText(changed)],
        ...[anew?.cursor ? cursorText(anew.cursor) : null, id, was],
      ],
      ...(anew === null ? [] : [this.#queries.query(wake, this.#queries.now, anew.windowMs, id, version)]),
    )
  }

  async remove(id: string, version: number | null = null, change = noRequest): Promise<ChangedRow | null> {
    const isIt = (place: number) => `id = ?${place} AND version = coalesce(CAST(?${place + 1} AS INTEGER), version)`
    const removed = await this.#changeOnce(
      change,
      [`SELECT 1 FROM twain_webhook WHERE ${isIt(6)}${this.#tables.dialect.lock.delete}`, id, version],
      [`DELETE FROM twain_webhook WHERE ${isIt(1)}`, id, version],
    )
    if (removed === null) return null
    const some = `SELECT id FROM twain_job WHERE kind = 'delivery' AND name = ?1 LIMIT CAST(?2 AS INTEGER)`
    await this.#deleteAll(`DELETE FROM twain_job WHERE id IN (${some}) RETURNING 1`, id)
    return removed
  }

  async nextVersion(previous: number): Promise<number> {
    const [[floor] = [0]] = await this.#read('SELECT max(version_floor) FROM twain_epoch')
    return nextVersion(previous, Number(floor))
  }

  async pause(id: string, version: number, why: string, now: number): Promise<boolean> {
    const sql =
      'UPDATE twain_webhook SET active = 0, paused = ?1, changed = ?2, version = ?5 ' +
      'WHERE id = ?3 AND version = ?4 AND active = 1 RETURNING 1'
    return this.#did(sql, why, toText(now), id, version, await this.nextVersion(version))
  }

  async lease(id: string, version: number, { holder, leaseMs }: JobLease): Promise<LogPoint | null> {
    const { now, time } = { now: this.#queries.now, time: (plus?: string) => this.#queries.time('?5', plus) }
    const sql =
      `UPDATE twain_webhook SET feeder = ?1, feeding = ${time('?2')} WHERE id = ?3 AND version = ?4 AND active = 1 ` +
      `AND (feeder IS NULL OR feeder = ?1 OR feeding <= ${time()}) RETURNING cursor`
    const [row] = await this.#change(sql, holder, leaseMs, id, version, now)
    return row === undefined ? null : toPoint(row[0] as string)
  }

  async feed({ webhook, version, from, to, deliveries, windowMs }: WebhookFeeding): Promise<boolean> {
    const { query, now } = this.#queries
    const time = (plus?: string) => this.#queries.time('?6', plus)
    const advance =
      'UPDATE twain_webhook SET cursor = ?1 WHERE id = ?2 AND cursor = ?3 AND version = ?4 AND active = 1 RETURNING 1'
    const insert =
      'INSERT INTO twain_job (id, kind, name, lane, payload, state, created, due, delay, until) ' +
      `SELECT ?1, 'delivery', id, ?2, ?3, 'waiting', ${time()}, ${time()}, 0, ${time('?7')} ` +
      'FROM twain_webhook WHERE id = ?4 AND cursor = ?5 ON CONFLICT DO NOTHING'
    const [advanced] = await this.#tables.run(
      query(advance, cursorText(to), webhook, cursorText(from), version),
      ...deliveries.map(({ id, position, subject, type }) =>
        query(
          insert,
          id,
          laneOf('delivery', webhook, subject),
          JSON.stringify({ position, type }),
          webhook,
          cursorText(to),
          now,
          windowMs,
        ),
      ),
    )
    return advanced!.length > 0
  }

  async pending(webhook: string): Promise<number> {
    const count = (state: string) =>
      `(SELECT count(*) FROM twain_job WHERE kind = 'delivery' AND name = ?1 AND state = '${state}')`
    return Number((await this.#read(`SELECT ${count('waiting')} + ${count('running')}`, webhook))[0]![0])
  }

  async claim(webhook: string, version: number, most: number, lease: JobLease): Promise<ClaimedJob[]> {
    const isServed = {
      sql: (first: number) =>
        `EXISTS (SELECT 1 FROM twain_webhook WHERE id = ?2 AND version = ?${first} AND active = 1)`,
      values: [version],
    }
    return toClaimed((await this.#tables.run(this.#queries.claim('delivery', webhook, most, lease, isServed)))[0]!)
  }

  async deliveredSince(webhook: string, time: number): Promise<boolean> {
    const sql = `SELECT 1 FROM twain_job WHERE kind = 'delivery' AND name = ?1 AND state = 'done' AND finished >= ?2 LIMIT 1`
    return (await this.#read(sql, webhook, toText(time))).length > 0
  }

  async findDelivery(id: string): Promise<WebhookDelivery | null> {
    const job = await this.#jobs.find('delivery', id)
    return job && toDelivery(job)
  }

  /** It leaves its lane: it has no place in the order. */
  async sendAgain({ id, version }: WebhookDelivery, windowMs: number, change = noRequest): Promise<ChangedRow | null> {
    const isOver = (place: number) =>
      `id = ?${place} AND _version = ?${place + 1} AND kind = 'delivery' AND finished IS NOT NULL`
    return this.#changeOnce(
      change,
      [`SELECT 1 FROM twain_job WHERE ${isOver(6)}${this.#tables.dialect.lock.change}`, id, version],
      [
        `UPDATE twain_job SET state = 'waiting', finished = NULL, lane = NULL, due = ${this.#queries.time('?1')}, delay = 0, ` +
          `until = ${this.#queries.time('?1', '?2')}, _version = _version + 1 WHERE ${isOver(3)}`,
        ...[this.#queries.now, windowMs, id, version],
      ],
    )
  }

  /** Results may contain secrets, so they are deleted even if no new result is saved. */
  async deleteExpiredResults(): Promise<void> {
    await this.#tables.run(
      deleteExpired(this.#tables.clock, this.#queries.query, this.#tables.dialect.skipLocked, maxDeletedRows),
    )
  }

  async prune(ageMs: number): Promise<number> {
    const lost =
      "SELECT id FROM twain_job WHERE kind = 'delivery' AND name <> ?1 AND name NOT IN (SELECT id FROM twain_webhook) " +
      'LIMIT CAST(?2 AS INTEGER)'
    const old = await this.#jobs.prune('delivery', ageMs)
    return old + (await this.#deleteAll(`DELETE FROM twain_job WHERE id IN (${lost}) RETURNING 1`, ''))
  }

  async release(holder: string | null): Promise<void> {
    await this.#change(
      'UPDATE twain_webhook SET feeder = NULL, feeding = NULL WHERE feeder = coalesce(?1, feeder)',
      holder,
    )
    if (holder === null) await this.#jobs.release('delivery', null)
  }

  /** Null if the change was not made. */
  #changeOnce(
    request: RequestedChange,
    possible: SystemText,
    change: SystemText,
    ...more: Query[]
  ): Promise<ChangedRow | null> {
    return changeRowOnce(request, { possible, change, more }, this.#tables, this.#queries.query)
  }

  /** Deletes one portion after the other. The placeholders of the text are its subject and the size of a portion. */
  async #deleteAll(sql: string, about: string): Promise<number> {
    for (let all = 0; ; ) {
      const { length } = await this.#change(sql, about, maxDeletedRows)
      all += length
      if (length < maxDeletedRows) return all
    }
  }

  #read(sql: string, ...parameters: SqlValue[]): QueryRows | Promise<QueryRows> {
    return this.#tables.read(this.#queries.query(sql, ...parameters))
  }

  async #change(sql: string, ...parameters: SqlValue[]): Promise<QueryRows> {
    return (await this.#tables.run(this.#queries.query(sql, ...parameters)))[0]!
  }

  async #did(sql: string, ...parameters: SqlValue[]): Promise<boolean> {
    return (await this.#change(sql, ...parameters)).length > 0
  }
}

/** The values in the order of their columns, from `events` on. */
function writable({ events, where, secret, active, paused }: Webhook): SqlValue[] {
  return [JSON.stringify(events), where === null ? null : JSON.stringify(where), secret, active ? 1 : 0, paused]
}

function ownerOf({ owner }: Webhook): SqlValue[] {
  return [owner.account, JSON.stringify(owner.roles), owner.key]
}

function cursorText({ epoch, position }: LogPoint): string {
  return `${epoch}:${position}`
}

function toPoint(text: string): LogPoint {
  const [epoch, position] = text.split(':') as [string, string]
  return { epoch, position: Number(position) }
}

function toWebhook(row: SqlValue[]): Webhook {
  const [id, url, events, filter, secret, active, paused, account, roles, key, version, created, changed, cursor] = row
  return {
    id: id as string,
    url: url as string,
    events: JSON.parse(events as string) as string[],
    where: filter === null ? null : JSON.parse(filter as string),
    secret: secret as string,
    active: Number(active) === 1,
    paused: paused as string | null,
    owner: {
      account: account as string | null,
      roles: JSON.parse(roles as string) as string[],
      key: key as string | null,
    },
    version: Number(version),
    created: toTime(created),
    changed: toTime(changed),
    cursor: toPoint(cursor as string),
  }
}
