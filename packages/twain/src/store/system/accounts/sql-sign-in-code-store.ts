// The codes of sign-ins with providers in SQL, on either database.
//
// 1. A code is claimed by a mark that only this request knows, in the transaction of its effect: of two requests with the same
//    code, one has the effect.
// 2. What an identity is attached to is decided by the unique key of the table, never by a read before.

import { mailboxOf, uuidv7 } from '#base'
import type { IdempotencyKey } from '#base/http'
import type { NewIdentity, NewSession } from '#plan'
import type { Query } from '../../sql/query.ts'
import { claimKeyFor, findResult, readResult } from '../idempotency-table.ts'
import { type SystemQuery, type SystemTables, systemQuery, toText, toTime } from '../system-tables.ts'
import { insertToken } from './insert-token.ts'
import type { LinkedIdentity, ProviderSubject, SignInCode, SignInCodeStore } from './sign-in-code-store.ts'

export class SqlSignInCodeStore implements SignInCodeStore {
  readonly #tables: SystemTables
  readonly #query: SystemQuery

  constructor(tables: SystemTables) {
    this.#tables = tables
    this.#query = systemQuery(tables.dialect)
  }

  async create({ hash, challenge, body, created, expires }: SignInCode): Promise<void> {
    const insert =
      'INSERT INTO twain_sign_in_code (hash, challenge, body, created, expires) VALUES (?1, ?2, ?3, ?4, ?5)'
    await this.#tables.run(
      this.#query('DELETE FROM twain_sign_in_code WHERE expires <= ?1', toText(this.#tables.clock.past())),
      this.#query(insert, hash, challenge, body, toText(created), toText(expires)),
    )
  }

  async find(hash: string, now: number): Promise<SignInCode | null> {
    const sql =
      'SELECT challenge, body, created, expires FROM twain_sign_in_code WHERE hash = ?1 AND used IS NULL AND expires > ?2'
    const [row] = await this.#tables.read(this.#query(sql, hash, toText(now)))
    if (row === undefined) return null
    const [challenge, body, created, expires] = row
    return {
      hash,
      challenge: challenge as string,
      body: body as string,
      created: toTime(created),
      expires: toTime(expires),
    }
  }

  async extend(hash: string, until: number): Promise<void> {
    const sql = 'UPDATE twain_sign_in_code SET expires = ?2 WHERE hash = ?1 AND used IS NULL AND expires < ?2'
    await this.#tables.run(this.#query(sql, hash, toText(until)))
  }

  async signIn(
    hash: string,
    { issuer, subject }: Pick<NewIdentity, 'issuer' | 'subject'>,
    session: NewSession,
    now: number,
  ): Promise<boolean> {
    const condition = {
      sql:
        `account = ?7 AND ${claimed('?8', '?9')} AND ` +
        'EXISTS (SELECT 1 FROM twain_identity WHERE issuer = ?10 AND subject = ?11 AND account = ?7)' +
        this.#tables.dialect.lock.change,
      values: [session.account, hash, session.id, issuer, subject],
    }
    const rows = await this.#tables.run(
      this.#claim(hash, session.id, now),
      ...insertToken(session, condition, this.#tables.clock, this.#query),
      this.#drop(hash, session.id),
    )
    return rows.at(-2)!.length === 1
  }

  async link(
    hash: string,
    { issuer, subject, address, provider }: ProviderSubject,
    account: string,
    now: number,
    key: IdempotencyKey | null,
  ): Promise<LinkedIdentity | null> {
    const id = uuidv7(now)
    const attach =
      'INSERT INTO twain_identity (id, provider, issuer, subject, account, address, created, used) ' +
      `SELECT ?1, ?2, ?3, ?4, account, ?5, ?6, ?6 FROM twain_login WHERE account = ?7 AND ${claimed('?8', '?1')}` +
      `${this.#tables.dialect.lock.change} ON CONFLICT (issuer, subject) DO NOTHING`
    const mailbox = address === null ? null : mailboxOf(address)
    const found = `SELECT id, account, created, used FROM twain_identity WHERE issuer = ?1 AND subject = ?2 AND ${claimed('?3', '?4')}`
    const known = { account, provider, issuer, subject }
    const rows = await this.#tables.run(
      this.#claim(hash, id, now),
      this.#query(attach, id, provider, issuer, subject, mailbox, toText(now), account, hash),
      ...(key === null ? [] : [this.#save(key, known, { hash, mark: id })]),
      this.#query(found, issuer, subject, hash, id),
      this.#drop(hash, id),
    )
    const [row] = rows.at(-2)!
    if (row === undefined) return null
    const [identityId, owner, createdAt, lastUsedAt] = row.map(String)
    return { ...known, id: identityId!, account: owner!, createdAt: createdAt!, lastUsedAt: lastUsedAt! }
  }

  async linkedUnder(key: IdempotencyKey): Promise<LinkedIdentity | null> {
    const [rows] = await this.#tables.run(findResult(key, this.#tables.clock, this.#query))
    return readResult<LinkedIdentity>(key, rows!)
  }

  /** Saves what is attached to the account. The ids and times of the table need no escapes in JSON. */
  #save(
    key: IdempotencyKey,
    known: Pick<LinkedIdentity, 'account' | 'provider' | 'issuer' | 'subject'>,
    { hash, mark }: { hash: string; mark: string },
  ): Query {
    const members = `'{"id":"' || id || '","createdAt":"' || created || '","lastUsedAt":"' || used || '",'`
    const from =
      `SELECT ${members} || ?5 AS result FROM twain_identity ` +
      `WHERE issuer = ?6 AND subject = ?7 AND account = ?8 AND ${claimed('?9', '?10')}`
    const { account, issuer, subject } = known
    const rest = JSON.stringify(known).slice(1)
    return claimKeyFor(key, this.#tables.clock, this.#query, from, rest, issuer, subject, account, hash, mark)
  }

  /** See 1. */
  #claim(hash: string, mark: string, now: number): Query {
    const sql = 'UPDATE twain_sign_in_code SET used = ?2 WHERE hash = ?1 AND used IS NULL AND expires > ?3'
    return this.#query(sql, hash, mark, toText(now))
  }

  /** A used code leaves nothing behind. */
  #drop(hash: string, mark: string): Query {
    return this.#query('DELETE FROM twain_sign_in_code WHERE hash = ?1 AND used = ?2', hash, mark)
  }
}

function claimed(hash: string, mark: string): string {
  return `EXISTS (SELECT 1 FROM twain_sign_in_code WHERE hash = ${hash} AND used = ${mark})`
}
