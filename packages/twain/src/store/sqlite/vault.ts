// The vault in SQLite. Reads are single rows by a key and run on the reading connection; writes share the writer's commits.

import type { Account } from '#model'
import { decodeColumn, type SqlValue } from '../compile/encode.ts'
import { name } from '../compile/statement.ts'
import { columnOf, type Layout, tableOf } from '../layout.ts'
import type { Key, Login, Secret, Token, Vault } from '../vault.ts'
import type { Query } from '../write/ask.ts'
import type { Done } from '../write/job.ts'
import type { Statements } from './connection.ts'

/** How many signed-in devices an account may have: signing in once more ends the one that was used longest ago. */
const mostTokens = 100

interface Parts {
  reading: Statements
  /** Whatever the connection still holds of a moment ago is let go of. */
  beforeRead(): void
  /** All of the statements or none. */
  run(...statements: Query[]): Promise<Done>
  /** Null where the contract has no account type, or is not known. */
  accounts: { account: Account; layout: Layout } | null
}

export class SqliteVault implements Vault {
  readonly #reading: Statements
  readonly #beforeRead: () => void
  readonly #run: Parts['run']
  readonly #account: Account | null
  readonly #rolesSql: { ofAccount: string; ofToken: string }

  constructor({ reading, beforeRead, run, accounts }: Parts) {
    this.#reading = reading
    this.#beforeRead = beforeRead
    this.#run = run
    this.#account = accounts?.account ?? null
    this.#rolesSql = accounts === null ? { ofAccount: '', ofToken: '' } : rolesSql(accounts.account, accounts.layout)
  }

  async secrets(): Promise<Secret[]> {
    const rows = this.#all('SELECT name, value, created FROM twain_secret ORDER BY created DESC, name')
    return rows.map(([secret, value, created]) => ({
      name: secret as string,
      value: value as string,
      created: toTime(created),
    }))
  }

  async keepSecret({ name: secret, value, created }: Secret): Promise<void> {
    await this.#change('INSERT INTO twain_secret (name, value, created) VALUES (?, ?, ?) ON CONFLICT DO NOTHING', [
      secret,
      value,
      toText(created),
    ])
  }

  async forgetSecrets(names: readonly string[]): Promise<void> {
    await this.#change('DELETE FROM twain_secret WHERE name IN (SELECT value FROM json_each(?))', [
      JSON.stringify(names),
    ])
  }

  async findKey(hash: string): Promise<Key | null> {
    const row = this.#get(`SELECT ${keyColumns} FROM twain_key WHERE hash = ? AND ended IS NULL`, hash)
    return row === null ? null : toKey(row)
  }

  async keys(): Promise<Key[]> {
    return this.#all(`SELECT ${keyColumns} FROM twain_key WHERE ended IS NULL ORDER BY created, id`).map(toKey)
  }

  async makeKey({ id, name: label, roles, created }: Key, hash: string): Promise<void> {
    await this.#change('INSERT INTO twain_key (id, hash, name, roles, created) VALUES (?, ?, ?, ?, ?)', [
      id,
      hash,
      label,
      JSON.stringify(roles),
      toText(created),
    ])
  }

  async endKey(id: string, now: number): Promise<boolean> {
    const sql = 'UPDATE twain_key SET ended = ? WHERE id = ? AND ended IS NULL'
    return (await this.#change(sql, [toText(now), id])) > 0
  }

  async findLogin(login: string): Promise<Login | null> {
    const row = this.#get('SELECT account, hash FROM twain_login WHERE login = ?', login)
    return row === null ? null : { account: row[0] as string, hash: row[1] as string | null }
  }

  async rolesOf(account: string, token: string | null): Promise<string[] | null> {
    if (this.#account === null) return null
    const { ofAccount, ofToken } = this.#rolesSql
    const row = token === null ? this.#get(ofAccount, account) : this.#get(ofToken, account, token)
    if (row === null) return null
    const { roles } = this.#account
    return roles === null ? [] : toRoles(decodeColumn(row[0]!, roles.type))
  }

  async findToken(id: string): Promise<Token | null> {
    const row = this.#get(`SELECT ${tokenColumns} FROM twain_token WHERE id = ?`, id)
    return row === null ? null : toToken(row)
  }

  async tokens(account: string, now: number): Promise<Token[]> {
    const standing = 'account = ? AND ended IS NULL AND expires > ?'
    const sql = `SELECT ${tokenColumns} FROM twain_token WHERE ${standing} ORDER BY created DESC, id DESC`
    return this.#all(sql, account, toText(now)).map(toToken)
  }

  async makeToken({ id, account, generation, created, used, expires }: Token, hash: string): Promise<boolean> {
    const { changes } = await this.#run(
      {
        sql: 'DELETE FROM twain_token WHERE account = ? AND (ended IS NOT NULL OR expires <= ?)',
        parameters: [account, toText(created)],
      },
      {
        sql:
          'DELETE FROM twain_token WHERE account = ?1 AND id NOT IN ' +
          '(SELECT id FROM twain_token WHERE account = ?1 ORDER BY used DESC, id DESC LIMIT ?2)',
        parameters: [account, mostTokens - 1],
      },
      {
        sql:
          'INSERT INTO twain_token (id, account, generation, created, used, expires) ' +
          'SELECT ?, account, ?, ?, ?, ? FROM twain_login WHERE account = ? AND hash = ?',
        parameters: [id, generation, toText(created), toText(used), toText(expires), account, hash],
      },
    )
    return changes[2] === 1
  }

  async renewToken(id: string, generation: number, now: number, expires: number): Promise<Token | null> {
    const { rows } = await this.#run({
      sql:
        'UPDATE twain_token SET generation = generation + 1, used = ?, expires = ? ' +
        `WHERE id = ? AND generation = ? AND ended IS NULL AND expires > ? RETURNING ${tokenColumns}`,
      parameters: [toText(now), toText(expires), id, generation, toText(now)],
    })
    const row = rows[0]?.[0]
    return row === undefined ? null : toToken(row)
  }

  async forgetPassword(account: string, now: number): Promise<void> {
    await this.#run(
      { sql: 'UPDATE twain_login SET hash = NULL, changed = ? WHERE account = ?', parameters: [toText(now), account] },
      {
        sql: 'UPDATE twain_token SET ended = ? WHERE account = ? AND ended IS NULL',
        parameters: [toText(now), account],
      },
    )
  }

  async endToken(id: string, account: string, now: number): Promise<boolean> {
    const sql = 'UPDATE twain_token SET ended = ? WHERE id = ? AND account = ? AND ended IS NULL'
    return (await this.#change(sql, [toText(now), id, account])) > 0
  }

  #get(sql: string, ...parameters: SqlValue[]): SqlValue[] | null {
    this.#beforeRead()
    return (this.#reading.get(sql).get(...parameters) ?? null) as SqlValue[] | null
  }

  #all(sql: string, ...parameters: SqlValue[]): SqlValue[][] {
    this.#beforeRead()
    return this.#reading.get(sql).all(...parameters) as unknown as SqlValue[][]
  }

  async #change(sql: string, parameters: SqlValue[]): Promise<number> {
    return (await this.#run({ sql, parameters })).changes[0]!
  }
}

const keyColumns = 'id, name, roles, created'
const tokenColumns = 'id, account, generation, created, used, expires, ended IS NOT NULL'

function rolesSql({ resource, roles }: Account, layout: Layout): { ofAccount: string; ofToken: string } {
  const table = name(tableOf(layout, resource).name)
  const column = roles === null ? 'NULL' : `a.${name(columnOf(layout, roles).name)}`
  return {
    ofAccount: `SELECT ${column} FROM ${table} a WHERE a.id = ?`,
    ofToken:
      `SELECT ${column} FROM ${table} a JOIN twain_token t ON t.account = a.id ` +
      'WHERE a.id = ? AND t.id = ? AND t.ended IS NULL',
  }
}

/** The field is one role or a list of them. */
function toRoles(value: unknown): string[] {
  const roles = Array.isArray(value) ? value : [value]
  return roles.filter((role) => typeof role === 'string')
}

function toKey([id, label, roles, created]: SqlValue[]): Key {
  return {
    id: id as string,
    name: label as string | null,
    roles: JSON.parse(roles as string) as string[],
    created: toTime(created),
  }
}

function toToken([id, account, generation, created, used, expires, ended]: SqlValue[]): Token {
  return {
    id: id as string,
    account: account as string,
    generation: generation as number,
    created: toTime(created),
    used: toTime(used),
    expires: toTime(expires),
    ended: ended === 1,
  }
}

/** Kept as text of UTC with milliseconds, whose order is that of time. */
const toText = (time: number): string => new Date(time).toISOString()
const toTime = (text: SqlValue | undefined): number => Date.parse(text as string)
