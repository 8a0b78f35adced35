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

  async accountWith(address: string): Promise<string | null> {
    return (await this.#accounts?.find(address))?.account ?? null
  }

  async recordUse({ issuer, subject, address }: NewIdentity, now: number): Promise<void> {
    const sql =
      'UPDATE twain_identity SET used = ?1, address = coalesce(?2, address) WHERE issuer = ?3 AND subject = ?4'
    const mailbox = address === null ? null : mailboxOf(address)
    await this.#options.run(this.#query(sql, toText(now), mailbox, issuer, subject))
  }
}
