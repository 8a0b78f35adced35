// The webhook store in SQL, on either database (`webhook-store.ts` describes it). Loaded on first use.

import { uuidv7 } from '#base'
import type { IdempotencyKey } from '#base/http'
import { type LogPoint, nextVersion } from '../changes/epochs.ts'
import type { SqlValue } from '../sql/encode.ts'
import type { Query, QueryRows } from '../sql/query.ts'
import { claimKey, deleteExpired, findResult, readResult } from './idempotency-table.ts'
import { type SystemQuery, type SystemTables, systemQuery, toText, toTime } from './system-tables.ts'
import type {
  DeliveryLease,
  DeliveryOutcome,
  DeliveryRestart,
  IdempotentResult,
  Webhook,
  WebhookDelivery,
  WebhookFeeding,
  WebhookStore,
} from './webhook-store.ts'
import { webhookColumns } from './webhook-tables.ts'

/** Small enough that no write waits long for the transaction. */
const maxDeletedRows = 1000

const ofWebhook = webhookColumns.slice(0, 14).join(', ')
const ofDelivery = 'id, webhook, position, type, created, due, until, state, finished, attempts'

/** Whether no earlier delivery of the same row is pending before the delivery `d`. */
const inTurn =
  '(d.again = 1 OR NOT EXISTS (SELECT 1 FROM twain_delivery AS e WHERE e.webhook = ?1 AND e.subject = d.subject ' +
  `AND e.state = 'pending' AND e.again = 0 AND e.position < d.position))`

/** A text with placeholders, and its values. */
type SystemText = [text: string, ...values: SqlValue[]]

/** Unique, so that a statement can tell which request has claimed the key. */
function uniqueResult({ answer }: IdempotentResult): object {
  return { answer, by: uuidv7() }
}

export class SqlWebhookStore implements WebhookStore {
  readonly #tables: SystemTables
  readonly #query: SystemQuery

  constructor(tables: SystemTables) {
    this.#tables = tables
    this.#query = systemQuery(tables.dialect)
  }

  async list(): Promise<Webhook[]> {
    return (await this.#read(`SELECT ${ofWebhook} FROM twain_webhook ORDER BY created, id`)).map(toWebhook)
  }

  async find(id: string): Promise<Webhook | null> {
    const [row] = await this.#read(`SELECT ${ofWebhook} FROM twain_webhook WHERE id = ?1`, id)
    return row === undefined ? null : toWebhook(row)
  }

  async recall<A extends object>(key: IdempotencyKey, now: number): Promise<A | null> {
    const found = await this.#tables.read(findResult(key, toText(now), this.#query))
    return readResult<{ answer: A }>(key, found)?.answer ?? null
  }

  async saveResult(under: IdempotentResult): Promise<void> {
    await this.#tables.run(this.#claim(uniqueResult(under), under))
  }

  async add(webhook: Webhook, most: number, under: IdempotentResult | null = null): Promise<boolean> {
    const places = webhookColumns.slice(0, 14).map((_, index) => `?${index + 1}`)
    const { id, url, version, created, changed, cursor } = webhook
    const values = [id, url, ...writable(webhook), ...ownerOf(webhook)]
    values.push(version, toText(created), toText(changed), cursorText(cursor))
    const make = (from: string) =>
      `INSERT INTO twain_webhook (${ofWebhook}) SELECT ${places.join(', ')} FROM (${from}) AS there WHERE TRUE`
    // Returns one row, whether or not there are webhooks.
    const belowLimit = (place: string) =>
      `SELECT 1 FROM (SELECT count(*) AS n FROM twain_webhook) AS all_of WHERE n < ${place}`
    if (under === null) return this.#did(`${make(belowLimit('?15'))} RETURNING 1`, ...values, most)
    return this.#didOnce(under, [belowLimit('?6'), most], [make('SELECT 1'), ...values])
  }

  async save(
    webhook: Webhook,
    was: number,
    anew: DeliveryRestart | null,
    under: IdempotentResult | null = null,
  ): Promise<boolean> {
    const { id, url, version, changed } = webhook
    const save =
      'UPDATE twain_webhook SET url = ?1, events = ?2, filter = ?3, secret = ?4, active = ?5, paused = ?6, account = ?7, ' +
      'roles = ?8, machine_key = ?9, version = ?10, changed = ?11, cursor = coalesce(?12, cursor) WHERE id = ?13 AND version = ?14'
    const wake =
      `UPDATE twain_delivery SET due = ?1, until = ?2 WHERE webhook = ?3 AND state = 'pending' ` +
      'AND EXISTS (SELECT 1 FROM twain_webhook WHERE id = ?3 AND version = ?4)'
    return this.#didOnce(
      under,
      [`SELECT 1 FROM twain_webhook WHERE id = ?6 AND version = ?7${this.#tables.dialect.lock.change}`, id, was],
      [
        save,
        ...[url, ...writable(webhook), ...ownerOf(webhook), version, toText(changed)],
        ...[anew?.cursor ? cursorText(anew.cursor) : null, id, was],
      ],
      ...(anew === null ? [] : [this.#query(wake, toText(anew.due), toText(anew.until), id, version)]),
    )
  }

  async remove(id: string, version: number | null = null, under: IdempotentResult | null = null): Promise<boolean> {
    const isIt = (place: number) => `id = ?${place} AND version = coalesce(CAST(?${place + 1} AS INTEGER), version)`
    const isRemoved = await this.#didOnce(
      under,
      [`SELECT 1 FROM twain_webhook WHERE ${isIt(6)}${this.#tables.dialect.lock.delete}`, id, version],
      [`DELETE FROM twain_webhook WHERE ${isIt(1)}`, id, version],
    )
    if (!isRemoved) return false
    const some = 'SELECT id FROM twain_delivery WHERE webhook = ?1 LIMIT CAST(?2 AS INTEGER)'
    await this.#deleteAll(`DELETE FROM twain_delivery WHERE id IN (${some}) RETURNING 1`, id)
    return true
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

  async lease(id: string, version: number, { holder, now, until }: DeliveryLease): Promise<LogPoint | null> {
    const sql =
      'UPDATE twain_webhook SET feeder = ?1, feeding = ?2 WHERE id = ?3 AND version = ?4 AND active = 1 ' +
      'AND (feeder IS NULL OR feeder = ?1 OR feeding <= ?5) RETURNING cursor'
    const [row] = await this.#change(sql, holder, toText(until), id, version, toText(now))
    return row === undefined ? null : toPoint(row[0] as string)
  }

  async feed({ webhook, version, from, to, deliveries, now, until }: WebhookFeeding): Promise<boolean> {
    const advance =
      'UPDATE twain_webhook SET cursor = ?1 WHERE id = ?2 AND cursor = ?3 AND version = ?4 AND active = 1 RETURNING 1'
    const insert =
      'INSERT INTO twain_delivery (id, webhook, position, subject, type, created, due, until, state, again, attempts) ' +
      `SELECT ?1, id, ?2, ?3, ?4, ?5, ?5, ?6, 'pending', 0, '[]' FROM twain_webhook WHERE id = ?7 AND cursor = ?8 ` +
      'ON CONFLICT DO NOTHING'
    const [advanced] = await this.#tables.run(
      this.#query(advance, cursorText(to), webhook, cursorText(from), version),
      ...deliveries.map(({ id, position, subject, type }) =>
        this.#query(insert, id, position, subject, type, toText(now), toText(until), webhook, cursorText(to)),
      ),
    )
    return advanced!.length > 0
  }

  async pending(webhook: string): Promise<number> {
    const sql = `SELECT count(*) FROM twain_delivery WHERE webhook = ?1 AND state = 'pending'`
    return Number((await this.#read(sql, webhook))[0]![0])
  }

  async claim(
    webhook: string,
    version: number,
    most: number,
    { holder, now, until }: DeliveryLease,
  ): Promise<WebhookDelivery[]> {
    const due =
      `SELECT d.id FROM twain_delivery AS d WHERE d.webhook = ?1 AND d.state = 'pending' AND d.due <= ?2 ` +
      `AND (d.held IS NULL OR d.held <= ?2) AND ${inTurn} ` +
      `ORDER BY d.position LIMIT CAST(?3 AS INTEGER)${this.#tables.dialect.skipLocked}`
    const sql =
      `UPDATE twain_delivery SET holder = ?4, held = ?5 WHERE id IN (${due}) ` +
      'AND EXISTS (SELECT 1 FROM twain_webhook WHERE id = ?1 AND version = ?6 AND active = 1) ' +
      `RETURNING ${ofDelivery}`
    const rows = await this.#change(sql, webhook, toText(now), most, holder, toText(until), version)
    return rows.map(toDelivery).sort((a, b) => a.position - b.position)
  }

  finish(id: string, holder: string, outcome: DeliveryOutcome): Promise<boolean> {
    const { attempts, state } = outcome
    const over = state === 'pending' ? null : toText(outcome.finished)
    const due = state === 'pending' ? toText(outcome.due) : null
    const sql =
      'UPDATE twain_delivery SET state = ?1, finished = ?2, due = coalesce(?3, due), attempts = ?4, holder = NULL, held = NULL ' +
      'WHERE id = ?5 AND holder = ?6 RETURNING 1'
    return this.#did(sql, state, over, due, JSON.stringify(attempts), id, holder)
  }

  async nextDue(webhook: string, now: number): Promise<number | null> {
    const sql =
      'SELECT min(CASE WHEN d.held IS NOT NULL AND d.held > ?2 THEN d.held ELSE d.due END) FROM twain_delivery AS d ' +
      `WHERE d.webhook = ?1 AND d.state = 'pending' AND ${inTurn}`
    const [[time] = []] = await this.#read(sql, webhook, toText(now))
    return time === null || time === undefined ? null : toTime(time)
  }

  async deliveredSince(webhook: string, time: number): Promise<boolean> {
    const sql = `SELECT 1 FROM twain_delivery WHERE webhook = ?1 AND state = 'delivered' AND finished >= ?2 LIMIT 1`
    return (await this.#read(sql, webhook, toText(time))).length > 0
  }

  async deliveries(webhook: string, offset: number, limit: number): Promise<WebhookDelivery[]> {
    const sql =
      `SELECT ${ofDelivery} FROM twain_delivery WHERE webhook = ?1 ORDER BY position DESC, id ` +
      'LIMIT CAST(?2 AS INTEGER) OFFSET CAST(?3 AS INTEGER)'
    return (await this.#read(sql, webhook, limit, offset)).map(toDelivery)
  }

  async findDelivery(webhook: string, id: string): Promise<WebhookDelivery | null> {
    const sql = `SELECT ${ofDelivery} FROM twain_delivery WHERE id = ?1 AND webhook = ?2`
    const [row] = await this.#read(sql, id, webhook)
    return row === undefined ? null : toDelivery(row)
  }

  sendAgain(
    webhook: string,
    id: string,
    now: number,
    until: number,
    under: IdempotentResult | null = null,
  ): Promise<boolean> {
    const isOver = (place: number) => `id = ?${place} AND webhook = ?${place + 1} AND state <> 'pending'`
    return this.#didOnce(
      under,
      [`SELECT 1 FROM twain_delivery WHERE ${isOver(6)}${this.#tables.dialect.lock.change}`, id, webhook],
      [
        `UPDATE twain_delivery SET state = 'pending', finished = NULL, again = 1, due = ?1, until = ?2 WHERE ${isOver(3)}`,
        ...[toText(now), toText(until), id, webhook],
      ],
    )
  }

  /** Results may contain secrets, so they are deleted even if no new result is saved. */
  async deleteExpiredResults(now: number): Promise<void> {
    await this.#tables.run(deleteExpired(toText(now), this.#query, this.#tables.dialect.skipLocked, maxDeletedRows))
  }

  async prune(before: number): Promise<number> {
    const old = 'SELECT id FROM twain_delivery WHERE finished IS NOT NULL AND finished < ?1 LIMIT CAST(?2 AS INTEGER)'
    const lost =
      'SELECT id FROM twain_delivery WHERE webhook <> ?1 AND webhook NOT IN (SELECT id FROM twain_webhook) ' +
      'LIMIT CAST(?2 AS INTEGER)'
    const text = (some: string) => `DELETE FROM twain_delivery WHERE id IN (${some}) RETURNING 1`
    return (await this.#deleteAll(text(old), toText(before))) + (await this.#deleteAll(text(lost), ''))
  }

  async release(holder: string | null): Promise<void> {
    await this.#tables.run(
      this.#query('UPDATE twain_delivery SET holder = NULL, held = NULL WHERE holder = coalesce(?1, holder)', holder),
      this.#query('UPDATE twain_webhook SET feeder = NULL, feeding = NULL WHERE feeder = coalesce(?1, feeder)', holder),
    )
  }

  /** Whether the change was made. With an idempotency key, only the request that claims the key makes the change. `possible`
   *  returns a row if the change can be made, and locks that row, so that the request which claims the key makes the change. */
  async #didOnce(
    under: IdempotentResult | null,
    possible: SystemText,
    change: SystemText,
    ...more: Query[]
  ): Promise<boolean> {
    const [text, ...values] = change
    if (under === null) {
      return (await this.#tables.run(this.#query(`${text} RETURNING 1`, ...values), ...more))[0]!.length > 0
    }
    const result = uniqueResult(under)
    const [id, answer] = [values.length + 1, values.length + 2]
    const isOurs = `EXISTS (SELECT 1 FROM twain_idempotency_key WHERE id = ?${id} AND result = ?${answer})`
    const made = this.#query(`${text} AND ${isOurs} RETURNING 1`, ...values, under.key.id, JSON.stringify(result))
    return (await this.#tables.run(this.#claim(result, under, possible), made, ...more))[1]!.length > 0
  }

  #claim(answer: object, { key, now }: IdempotentResult, possible: SystemText = ['SELECT 1']): Query {
    return claimKey(key, answer, toText(now), this.#query, ...possible)
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
    return this.#tables.read(this.#query(sql, ...parameters))
  }

  async #change(sql: string, ...parameters: SqlValue[]): Promise<QueryRows> {
    return (await this.#tables.run(this.#query(sql, ...parameters)))[0]!
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

function toDelivery(row: SqlValue[]): WebhookDelivery {
  const [id, webhook, position, type, created, due, until, state, finished, attempts] = row
  return {
    id: id as string,
    webhook: webhook as string,
    position: Number(position),
    type: type as string,
    created: toTime(created),
    due: toTime(due),
    until: toTime(until),
    state: state as WebhookDelivery['state'],
    finished: finished === null ? null : toTime(finished),
    attempts: JSON.parse(attempts as string) as WebhookDelivery['attempts'],
  }
}
