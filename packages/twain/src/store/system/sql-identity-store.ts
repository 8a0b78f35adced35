// The identities of external issuers in SQL, on either database.

import { mailboxOf } from '#base'
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
    const accounts = this.#accounts
    const found = address === null || accounts === null ? null : await accounts.find(address)
    if (address === null || accounts === null || found === null) return null
    const { account } = found
    const mailbox = mailboxOf(address)
    const time = toText(now)
    const unproven = accounts.unproven(`l.account = ?1 AND ${accounts.mailbox} = ?2`)
    // The lock comes first, so that each statement sees what a concurrent join, delete or change of the login has done.
    const lock = `SELECT 1 FROM twain_login WHERE account = ?1${this.#options.dialect.lock.change}`
    const clear = `UPDATE twain_login SET hash = NULL, changed = ?3 WHERE account IN (${unproven})`
    const revoke = `UPDATE twain_token SET ended = ?3 WHERE ended IS NULL AND account IN (${unproven})`
    const detach = `DELETE FROM twain_identity WHERE account IN (${unproven})`
    const attach =
      'INSERT INTO twain_identity (issuer, subject, account, address, created, used) ' +
      `SELECT ?1, ?2, l.account, ?5, ?3, ?3 FROM twain_login l JOIN ${accounts.table} a ON a.id = l.account ` +
      `WHERE l.account = ?4 AND ${accounts.mailbox} = ?5 AND a._version > 0 ON CONFLICT DO NOTHING RETURNING account`
    const rows = await this.#options.run(
      this.#query(lock, account),
      this.#query(clear, account, mailbox, time),
      this.#query(revoke, account, mailbox, time),
      this.#query(detach, account, mailbox),
      this.#query(attach, issuer, subject, time, account, mailbox),
    )
    return rows.at(-1)!.length === 1 ? account : null
  }

  async recordUse({ issuer, subject, address }: NewIdentity, now: number): Promise<void> {
    const sql =
      'UPDATE twain_identity SET used = ?1, address = coalesce(?2, address) WHERE issuer = ?3 AND subject = ?4'
    const mailbox = address === null ? null : mailboxOf(address)
    await this.#options.run(this.#query(sql, toText(now), mailbox, issuer, subject))
  }
}
