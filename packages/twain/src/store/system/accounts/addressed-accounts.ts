// Finds accounts by their addresses, in schemas whose logins are addresses.

import { canonicalLogin, mailboxOf } from '#base'
import { type Account, hasAddresses } from '#model'
import { columnOf, type Layout, tableOf } from '../../tables/layout.ts'
import { quoteName } from '../../tables/quote.ts'
import { type SystemQuery, type SystemTables, systemQuery, toText } from '../system-tables.ts'
import type { AddressedAccount, LoginHolder } from './code-store.ts'

/** The account type, and where its rows are. */
export interface Accounts {
  account: Account
  layout: Layout
}

export class AddressedAccounts {
  /** The quoted names of the table of accounts and of the column with their addresses. */
  readonly #table: string
  readonly #column: string
  readonly #lockedAt: string
  readonly #tables: SystemTables
  readonly #query: SystemQuery

  /** Null: there are no accounts, or their logins are no addresses. */
  static open(tables: SystemTables, accounts: Accounts | null): AddressedAccounts | null {
    return accounts === null || !hasAddresses(accounts.account) ? null : new AddressedAccounts(tables, accounts)
  }

  private constructor(tables: SystemTables, { account, layout }: Accounts) {
    this.#tables = tables
    this.#query = systemQuery(tables.dialect)
    this.#table = quoteName(tableOf(layout, account.resource).name)
    this.#column = quoteName(columnOf(layout, account.login).name)
    this.#lockedAt = quoteName(columnOf(layout, account.lockedAt).name)
  }

  /** Who has the login of this address: also by a look-alike, and an account that may take it back. So it finds whom the writer
   *  would report as a conflict (`findLoginConflict`). */
  async holderOf(address: string, now: number): Promise<LoginHolder | null> {
    const sql =
      `SELECT l.account, a.${this.#column}, CASE WHEN l.hash IS NULL THEN 0 ELSE 1 END FROM twain_login l LEFT JOIN ${this.#table} a ON a.id = l.account AND a._version > 0 ` +
      'WHERE l.login = ?1 UNION ALL SELECT account, former, 1 FROM twain_login_change WHERE former_login = ?1 ' +
      'AND proven IS NOT NULL AND ended IS NULL AND undo IS NOT NULL AND undoable > ?2 LIMIT 1'
    const [row] = await this.#tables.read(this.#query(sql, canonicalLogin(address), toText(now)))
    if (row === undefined) return null
    const [account, written, hasPassword] = row as [string, string | null, number]
    return { account, address: written, hasPassword: Number(hasPassword) === 1 }
  }

  /** The account whose login is this address. A locked one is like none. */
  async find(address: string): Promise<AddressedAccount | null> {
    const sql =
      `SELECT l.account, a.${this.#column} FROM twain_login l JOIN ${this.#table} a ON a.id = l.account ` +
      `WHERE l.login = ?1 AND a._version > 0 AND a.${this.#lockedAt} IS NULL`
    const [row] = await this.#tables.read(this.#query(sql, canonicalLogin(address)))
    if (row === undefined) return null
    const [account, written] = row as [string, string]
    return mailboxOf(written) === mailboxOf(address) ? { account, address: written } : null
  }
}
