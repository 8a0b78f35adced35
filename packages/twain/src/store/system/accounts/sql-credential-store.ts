// The credential store in SQL, on either database. Reads find single rows by a key; each change is atomic and returns a row
// for each row that it changed.

import type { Account } from '#model'
import type { NewSession } from '#plan'
import type { SqlValue } from '../../sql/encode.ts'
import type { QueryRows } from '../../sql/query.ts'
import { columnOf, type Layout, tableOf } from '../../tables/layout.ts'
import { quoteName } from '../../tables/quote.ts'
import {
  type ChangedRow,
  changeOnce,
  changeRowOnce,
  type IdempotentResult,
  type RequestedChange,
  type SystemText,
} from '../change-once.ts'
import { type SystemQuery, type SystemTables, systemQuery, toText, toTime } from '../system-tables.ts'
import type { Accounts } from './addressed-accounts.ts'
import type {
  AccountRights,
  ActingSession,
  ApiKey,
  CredentialStore,
  IdentityStore,
  Login,
  Secret,
  Ticket,
  Token,
  UsedCredential,
} from './credential-store.ts'
import { insertActing, insertToken } from './insert-token.ts'
import type { SignInCodeStore } from './sign-in-code-store.ts'
import { SqlIdentityStore } from './sql-identity-store.ts'
import { SqlSignInCodeStore } from './sql-sign-in-code-store.ts'

export interface CredentialStoreOptions extends SystemTables {
  /** Null if the schema has no account type, or is not known. */
  accounts: Accounts | null
}

export class SqlCredentialStore implements CredentialStore {
  readonly identities: IdentityStore
  readonly signInCodes: SignInCodeStore
  readonly #parts: CredentialStoreOptions
  readonly #rightsSql: { ofAccount: string; ofToken: string }
  readonly #query: SystemQuery
  /** Whether the account of a row of `twain_login` is locked, as 1 or 0. */
  readonly #isLocked: string

  constructor(parts: CredentialStoreOptions) {
    this.identities = new SqlIdentityStore(parts)
    this.signInCodes = new SqlSignInCodeStore(parts)
    this.#parts = parts
    this.#query = systemQuery(parts.dialect)
    const { accounts } = parts
    this.#isLocked = accounts === null ? '0' : lockedSql(accounts.account, accounts.layout)
    this.#rightsSql = accounts === null ? { ofAccount: '', ofToken: '' } : rightsSql(accounts.account, accounts.layout)
  }

  async secrets(): Promise<Secret[]> {
    const rows = await this.#read('SELECT name, value, created FROM twain_secret ORDER BY created DESC, name')
    return rows.map(([secret, value, created]) => ({
      name: secret as string,
      value: value as string,
      created: toTime(created),
    }))
  }

  async saveSecret({ name: secret, value, created }: Secret): Promise<void> {
    const sql = 'INSERT INTO twain_secret (name, value, created) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING'
    await this.#change(sql, secret, value, toText(created))
  }

  async deleteSecrets(names: readonly string[]): Promise<void> {
    if (names.length === 0) return
    await this.#parts.run(...names.map((secret) => this.#query('DELETE FROM twain_secret WHERE name = ?1', secret)))
  }

  async findKey(hash: string): Promise<ApiKey | null> {
    const [row] = await this.#read(`SELECT ${keyColumns} FROM twain_key WHERE hash = ?1 AND ended IS NULL`, hash)
    return row === undefined ? null : toKey(row)
  }

  async keys(): ReturnType<CredentialStore['keys']> {
    const rows = await this.#read(`SELECT ${keyColumns}, seen FROM twain_key WHERE ended IS NULL ORDER BY created, id`)
    return rows.map((row) => ({ ...toKey(row), used: row[4] === null ? null : toTime(row[4]!) }))
  }

  createKey(
    { id, name: label, roles, created }: ApiKey,
    hash: string,
    request: RequestedChange = { under: null },
  ): Promise<ChangedRow | null> {
    const sql =
      'INSERT INTO twain_key (id, hash, name, roles, created) SELECT ?1, ?2, ?3, ?4, ?5 FROM (SELECT 1) AS there WHERE TRUE'
    const change: SystemText = [sql, id, hash, label, JSON.stringify(roles), toText(created)]
    return changeRowOnce(request, { possible: ['SELECT 1'], change }, this.#parts, this.#query)
  }

  revokeKey(id: string, now: number, under: IdempotentResult | null = null): Promise<boolean> {
    return this.#end('twain_key', id, now, under)
  }

  async findLogin(login: string): Promise<Login | null> {
    const sql = `SELECT account, hash, ${this.#isLocked} FROM twain_login WHERE login = ?1`
    const [row] = await this.#read(sql, login)
    if (row === undefined) return null
    return { account: row[0] as string, hash: row[1] as string | null, isLocked: Number(row[2]) === 1 }
  }

  async passwordHash(account: string): Promise<string | null> {
    const [row] = await this.#read('SELECT hash FROM twain_login WHERE account = ?1', account)
    return row === undefined ? null : (row[0] as string | null)
  }

  async rightsOf(account: string, token: string | null): Promise<AccountRights | null> {
    const { accounts, dialect } = this.#parts
    if (accounts === null) return null
    const { ofAccount, ofToken } = this.#rightsSql
    const [row] = await (token === null ? this.#read(ofAccount, account) : this.#read(ofToken, account, token))
    if (row === undefined) return null
    const { roles } = accounts.account
    return {
      roles: roles === null ? [] : toRoles(dialect.decode(row[0]!, roles.type, accounts.layout.codes)),
      verified: row[1] !== null,
    }
  }

  async findToken(id: string): Promise<Token | null> {
    const [row] = await this.#read(`SELECT ${tokenColumns} FROM twain_token WHERE id = ?1`, id)
    return row === undefined ? null : toToken(row)
  }

  async createToken(token: NewSession, hash: string): Promise<boolean> {
    // A concurrent change of the password waits, and then revokes this token too.
    const lock = this.#parts.dialect.lock.change
    const isSame = { sql: `account = ?7 AND hash = ?8 AND ${this.#isLocked} = 0${lock}`, values: [token.account, hash] }
    const rows = await this.#parts.run(...insertToken(token, isSame, this.#parts.clock, this.#query))
    return rows.at(-1)!.length === 1
  }

  async renewToken(id: string, generation: number, now: number, expires: number): Promise<Token | null> {
    const sql =
      'UPDATE twain_token SET generation = generation + 1, used = ?1, expires = ?2 ' +
      `WHERE id = ?3 AND generation = ?4 AND ended IS NULL AND expires > ?1 RETURNING ${tokenColumns}`
    const [row] = await this.#change(sql, toText(now), toText(expires), id, generation)
    return row === undefined ? null : toToken(row)
  }

  revokeToken(id: string, now: number, under: IdempotentResult | null = null): Promise<boolean> {
    return this.#end('twain_token', id, now, under)
  }

  async revokeTokens(account: string, except: string | null, now: number): Promise<string[]> {
    const sql =
      'UPDATE twain_token SET ended = ?1 WHERE account = ?2 AND id IS DISTINCT FROM ?3 AND ended IS NULL AND expires > ?1 ' +
      'RETURNING id'
    const rows = await this.#change(sql, toText(now), account, except)
    return rows.map(([id]) => id as string)
  }

  async recordUses(of: UsedCredential, ids: readonly string[], time: number): Promise<void> {
    const listed = `SELECT value FROM ${this.#parts.dialect.jsonTexts('?2')} AS l`
    const sql = `UPDATE twain_${of} SET seen = ?1 WHERE id IN (${listed}) AND (seen IS NULL OR seen < ?1)`
    await this.#change(sql, toText(time), JSON.stringify(ids))
  }

  async deleteExpiredTokens(keptMs: number, maxRows: number): Promise<number> {
    const some = 'SELECT id FROM twain_token WHERE expires < ?1 ORDER BY expires LIMIT CAST(?2 AS INTEGER)'
    const rows = await this.#change(
      `DELETE FROM twain_token WHERE id IN (${some}) RETURNING 1`,
      toText(this.#parts.clock.past() - keptMs),
      maxRows,
    )
    return rows.length
  }

  async createActing(session: ActingSession): Promise<void> {
    await this.#parts.run(...insertActing(session, this.#parts.clock, this.#query))
  }

  async findActing(id: string, now: number): Promise<ActingSession | null> {
    const sql = `SELECT ${actingColumns} FROM twain_token WHERE id = ?1 AND by IS NOT NULL AND ended IS NULL AND expires > ?2`
    const [row] = await this.#read(sql, id, toText(now))
    return row === undefined ? null : toActing(row)
  }

  async createTicket({ hash, identity, expires }: Ticket): Promise<void> {
    await this.#parts.run(
      this.#query('DELETE FROM twain_ticket WHERE expires <= ?1', toText(this.#parts.clock.past())),
      this.#query(
        'INSERT INTO twain_ticket (hash, identity, expires) VALUES (?1, ?2, ?3)',
        hash,
        identity,
        toText(expires),
      ),
    )
  }

  async useTicket(hash: string, proof: string, now: number, expires: number): Promise<string | null> {
    const sql =
      'UPDATE twain_ticket SET proof = ?1, expires = ?2 ' +
      'WHERE hash = ?3 AND proof IS NULL AND expires > ?4 RETURNING identity'
    const [row] = await this.#change(sql, proof, toText(expires), hash, toText(now))
    return row === undefined ? null : (row[0] as string)
  }

  async findTicket(hash: string, proof: string, now: number): Promise<string | null> {
    const sql = 'SELECT identity FROM twain_ticket WHERE hash = ?1 AND proof = ?2 AND expires > ?3'
    const [row] = await this.#read(sql, hash, proof, toText(now))
    return row === undefined ? null : (row[0] as string)
  }

  /** False if there is no such row, or it has ended. */
  async #end(
    table: 'twain_key' | 'twain_token',
    id: string,
    now: number,
    under: IdempotentResult | null,
  ): Promise<boolean> {
    const lock = this.#parts.dialect.lock.change
    const possible: SystemText = [`SELECT 1 FROM ${table} WHERE id = ?6 AND ended IS NULL${lock}`, id]
    const change: SystemText = [`UPDATE ${table} SET ended = ?1 WHERE id = ?2 AND ended IS NULL`, toText(now), id]
    const [changed] = await changeOnce({ under, possible, change }, this.#parts, this.#query)
    return changed!.length > 0
  }

  #read(sql: string, ...parameters: SqlValue[]): QueryRows | Promise<QueryRows> {
    return this.#parts.read(this.#query(sql, ...parameters))
  }

  async #change(sql: string, ...parameters: SqlValue[]): Promise<QueryRows> {
    return (await this.#parts.run(this.#query(sql, ...parameters)))[0]!
  }
}

const keyColumns = 'id, name, roles, created'
const tokenColumns =
  'id, account, generation, created, used, expires, CASE WHEN ended IS NULL THEN 0 ELSE 1 END, client'

const actingColumns = 'id, account, role, created, expires, by, actor, identity, read_only, reason'

function lockedSql({ resource, lockedAt }: Account, layout: Layout): string {
  const table = quoteName(tableOf(layout, resource).name)
  const column = quoteName(columnOf(layout, lockedAt).name)
  return `(SELECT count(*) FROM ${table} a WHERE a.id = twain_login.account AND a.${column} IS NOT NULL)`
}

function rightsSql(
  { resource, roles, verifiedAt, lockedAt }: Account,
  layout: Layout,
): { ofAccount: string; ofToken: string } {
  const table = quoteName(tableOf(layout, resource).name)
  const columns = [roles, verifiedAt]
    .map((field) => (field === null ? 'NULL' : `a.${quoteName(columnOf(layout, field).name)}`))
    .join(', ')
  const isOpen = `a.${quoteName(columnOf(layout, lockedAt).name)} IS NULL`
  return {
    ofAccount: `SELECT ${columns} FROM ${table} a WHERE a.id = ?1 AND a._version > 0 AND ${isOpen}`,
    ofToken:
      `SELECT ${columns} FROM ${table} a JOIN twain_token t ON t.account = a.id ` +
      `WHERE a.id = ?1 AND t.id = ?2 AND t.ended IS NULL AND ${isOpen}`,
  }
}

/** The field is one role or a list of them. */
function toRoles(value: unknown): string[] {
  const roles = Array.isArray(value) ? value : [value]
  return roles.filter((role) => typeof role === 'string')
}

function toKey([id, label, roles, created]: SqlValue[]): ApiKey {
  return {
    id: id as string,
    name: label as string | null,
    roles: JSON.parse(roles as string) as string[],
    created: toTime(created),
  }
}

function toToken([id, account, generation, created, used, expires, ended, client]: SqlValue[]): Token {
  return {
    id: id as string,
    account: account as string,
    generation: Number(generation),
    created: toTime(created),
    used: toTime(used),
    expires: toTime(expires),
    ended: ended === 1,
    client: client as string | null,
  }
}

function toActing([
  id,
  account,
  role,
  created,
  expires,
  by,
  actor,
  identity,
  readOnly,
  reason,
]: SqlValue[]): ActingSession {
  return {
    id: id as string,
    account: account as string | null,
    role: role as string | null,
    created: toTime(created),
    expires: toTime(expires),
    by: by as string,
    actor: actor as string | null,
    identity: identity as string,
    readOnly: Number(readOnly) === 1,
    reason: reason as string | null,
  }
}
