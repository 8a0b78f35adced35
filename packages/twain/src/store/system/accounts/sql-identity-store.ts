// The identities of external issuers in SQL, on either database.

import { mailboxOf } from '#base'
import type { NewIdentity } from '#plan'
import { changeOnce, type IdempotentResult, type SystemText } from '../change-once.ts'
import { type SystemQuery, type SystemTables, systemQuery, toText, toTime } from '../system-tables.ts'
import { type Accounts, AddressedAccounts } from './addressed-accounts.ts'
import type { AttachedIdentity, IdentityStore } from './credential-store.ts'

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

  async accountWith(address: string): Promise<string | null> {
    return (await this.#accounts?.find(address))?.account ?? null
  }

  async ownerOf(id: string): Promise<string | null> {
    const [row] = await this.#options.read(this.#query('SELECT account FROM twain_identity WHERE id = ?1', id))
    return row === undefined ? null : (row[0] as string)
  }

  /** Two requests that remove the last two identities of an account wait for each other. */
  async remove(id: string, account: string, under: IdempotentResult | null): Promise<boolean> {
    const lock = this.#options.dialect.lock.change
    const locked = this.#query(`SELECT 1 FROM twain_login WHERE account = ?1${lock}`, account)
    const isNotLast = (other: string, owner: string) =>
      `(EXISTS (SELECT 1 FROM twain_login WHERE account = ${owner} AND hash IS NOT NULL) OR ` +
      `EXISTS (SELECT 1 FROM twain_identity WHERE account = ${owner} AND id <> ${other}))`
    const possible: SystemText = [
      `SELECT 1 FROM twain_identity WHERE id = ?6 AND account = ?7 AND ${isNotLast('?6', '?7')}${lock}`,
      ...[id, account],
    ]
    const change: SystemText = [
      `DELETE FROM twain_identity WHERE id = ?1 AND account = ?2 AND ${isNotLast('?1', '?2')}`,
      ...[id, account],
    ]
    const [removed] = await changeOnce({ under, before: [locked], possible, change }, this.#options, this.#query)
    return removed!.length > 0
  }

  async recordUse({ issuer, subject, address }: NewIdentity, now: number): Promise<void> {
    const sql =
      'UPDATE twain_identity SET used = ?1, address = coalesce(?2, address) WHERE issuer = ?3 AND subject = ?4'
    const mailbox = address === null ? null : mailboxOf(address)
    await this.#options.run(this.#query(sql, toText(now), mailbox, issuer, subject))
  }
}
