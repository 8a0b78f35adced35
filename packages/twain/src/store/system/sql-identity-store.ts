// The identities of external issuers in SQL, on either database.

import { canonicalLogin } from '#base'
import type { NewIdentity } from '#plan'
import { type Accounts, AddressedAccounts } from './addressed-accounts.ts'
import type { AttachedIdentity, IdentityStore } from './credential-store.ts'
import { type SystemQuery, type SystemTables, systemQuery, toText, toTime } from './system-tables.ts'

interface IdentityStoreOptions extends SystemTables {
  accounts: Accounts | null
}

export class SqlIdentityStore implements IdentityStore {
  readonly #options: IdentityStoreOptions
  readonly #query: SystemQuery
  /** Null: logins are no addresses. */
  readonly #accounts: AddressedAccounts | null

  constructor(options: IdentityStoreOptions) {
    this.#options = options
    this.#query = systemQuery(options.dialect)
    this.#accounts = AddressedAccounts.open(options, options.accounts)
  }

  async find({ issuer, subject }: Pick<NewIdentity, 'issuer' | 'subject'>): Promise<AttachedIdentity | null> {
    const sql = 'SELECT account, address, used FROM twain_identity WHERE issuer = ?1 AND subject = ?2'
    const [row] = await this.#options.read(this.#query(sql, issuer, subject))
    if (row === undefined) return null
    const [account, address, used] = row
    return { account: account as string, address: address as string | null, used: toTime(used) }
  }

  async join({ issuer, subject, address }: NewIdentity, now: number): Promise<string | null> {
    const found = address === null ? null : await this.#accounts?.find(address)
    const account = found?.account ?? null
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
}

/** The account ?1 with the login ?2, unless an identity or a code has proven that the login is its address. */
const unproven =
  'SELECT l.account FROM twain_login l WHERE l.account = ?1 AND l.login = ?2 AND l.verified IS NULL AND NOT EXISTS ' +
  '(SELECT 1 FROM twain_identity i WHERE i.account = l.account AND i.address = l.login)'
