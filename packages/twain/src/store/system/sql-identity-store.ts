// The identities of external issuers in SQL, on either database.

import { canonicalLogin } from '#base'
import type { Account } from '#model'
import type { NewIdentity } from '#plan'
import { columnOf, type Layout, tableOf } from '../tables/layout.ts'
import { quoteName } from '../tables/quote.ts'
import type { AttachedIdentity, IdentityStore } from './credential-store.ts'
import { type SystemQuery, type SystemTables, systemQuery, toText, toTime } from './system-tables.ts'

interface IdentityStoreOptions extends SystemTables {
  accounts: { account: Account; layout: Layout } | null
}

export class SqlIdentityStore implements IdentityStore {
  readonly #options: IdentityStoreOptions
  readonly #query: SystemQuery
  /** Finds the account by the canonical login, with the login as written; null: logins are no addresses. */
  readonly #findAddress: string | null

  constructor(options: IdentityStoreOptions) {
    this.#options = options
    this.#query = systemQuery(options.dialect)
    this.#findAddress = options.accounts === null ? null : addressSql(options.accounts)
  }

  async find({ issuer, subject }: Pick<NewIdentity, 'issuer' | 'subject'>): Promise<AttachedIdentity | null> {
    const sql = 'SELECT account, address, used FROM twain_identity WHERE issuer = ?1 AND subject = ?2'
    const [row] = await this.#options.read(this.#query(sql, issuer, subject))
    if (row === undefined) return null
    const [account, address, used] = row
    return { account: account as string, address: address as string | null, used: toTime(used) }
  }

  async join({ issuer, subject, address }: NewIdentity, now: number): Promise<string | null> {
    const account = address === null ? null : await this.#accountWith(address)
    if (address === null || account === null) return null
    const login = canonicalLogin(address)
    const time = toText(now)
    // The lock comes first, so that each statement sees what a concurrent join, delete or change of the login has done.
    const lock = `SELECT 1 FROM twain_login WHERE account = ?1 AND login = ?2${this.#options.dialect.lock.change}`
    const clear = `UPDATE twain_login SET hash = NULL, changed = ?3 WHERE account IN (${unproven})`
    const revoke = `UPDATE twain_token SET ended = ?3 WHERE ended IS NULL AND account IN (${unproven})`
    const detach = `DELETE FROM twain_identity WHERE account IN (${unproven})`
    const attach =
      'INSERT INTO twain_identity (issuer, subject, account, address, created, used) ' +
      'SELECT ?1, ?2, account, login, ?3, ?3 FROM twain_login WHERE account = ?4 AND login = ?5 ' +
      'ON CONFLICT DO NOTHING RETURNING account'
    const rows = await this.#options.run(
      this.#query(lock, account, login),
      this.#query(clear, account, login, time),
      this.#query(revoke, account, login, time),
      this.#query(detach, account, login),
      this.#query(attach, issuer, subject, time, account, login),
    )
    return rows.at(-1)!.length === 1 ? account : null
  }

  async recordUse({ issuer, subject, address }: NewIdentity, now: number): Promise<void> {
    const sql =
      'UPDATE twain_identity SET used = ?1, address = coalesce(?2, address) WHERE issuer = ?3 AND subject = ?4'
    const canonical = address === null ? null : canonicalLogin(address)
    await this.#options.run(this.#query(sql, toText(now), canonical, issuer, subject))
  }

  /** The account whose login is this address. Look-alikes are one login, but not one mailbox: only the case of ASCII letters may
   *  differ. */
  async #accountWith(address: string): Promise<string | null> {
    if (this.#findAddress === null) return null
    const [row] = await this.#options.read(this.#query(this.#findAddress, canonicalLogin(address)))
    if (row === undefined) return null
    const [account, login] = row as [string, string]
    return lowerAscii(login) === lowerAscii(address) ? account : null
  }
}

/** The account ?1 with the login ?2, unless an identity has proven that the login is its address. */
const unproven =
  'SELECT l.account FROM twain_login l WHERE l.account = ?1 AND l.login = ?2 AND NOT EXISTS ' +
  '(SELECT 1 FROM twain_identity i WHERE i.account = l.account AND i.address = l.login)'

function addressSql({ account: { resource, login }, layout }: { account: Account; layout: Layout }): string | null {
  if (login.name !== 'email' && login.constraint?.format !== 'email') return null
  const table = quoteName(tableOf(layout, resource).name)
  const column = quoteName(columnOf(layout, login).name)
  return `SELECT l.account, a.${column} FROM twain_login l JOIN ${table} a ON a.id = l.account WHERE l.login = ?1`
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
