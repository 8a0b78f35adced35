// The codes and the outbox of mails in SQL, on either database (`code-store.ts` describes them).

import type { SqlValue } from '../../sql/encode.ts'
import type { Query, QueryRows } from '../../sql/query.ts'
import type { NewJob } from '../jobs/job-store.ts'
import type { SqlJobStore } from '../jobs/sql-job-store.ts'
import { type SystemQuery, type SystemTables, systemQuery, toText, toTime } from '../system-tables.ts'
import { type Accounts, AddressedAccounts } from './addressed-accounts.ts'
import type {
  AddressedAccount,
  CodeLimits,
  CodePurpose,
  CodeStore,
  InvitationLimits,
  InvitationOwner,
  ListedInvitation,
  LoginHolder,
  NewCode,
  NewInvitation,
  NewMail,
  NewSignUp,
  RenewedInvitation,
  StoredChange,
  StoredCode,
  StoredLink,
  WaitingInvitation,
} from './code-store.ts'

const hourMs = 3_600_000

const changeColumns = 'id, account, address, former, key, hmac'
const codeColumns = 'id, purpose, key, hmac, login, account'
/** The stored login would tell that there is an account. Rows of earlier builds have nothing else that the maker wrote. */
const shownColumn = 'coalesce(shown, login)'

export class SqlCodeStore implements CodeStore {
  readonly #tables: SystemTables
  readonly #accounts: AddressedAccounts
  readonly #jobs: SqlJobStore
  readonly #query: SystemQuery

  /** Null: logins are no addresses. */
  static open(tables: SystemTables, accounts: Accounts | null, jobs: SqlJobStore): SqlCodeStore | null {
    const addressed = AddressedAccounts.open(tables, accounts)
    return addressed === null ? null : new SqlCodeStore(tables, addressed, jobs)
  }

  private constructor(tables: SystemTables, accounts: AddressedAccounts, jobs: SqlJobStore) {
    this.#tables = tables
    this.#accounts = accounts
    this.#jobs = jobs
    this.#query = systemQuery(tables.dialect)
  }

  mailsEnqueued(): void {
    this.#jobs.enqueued('mail')
  }

  accountWith(address: string): Promise<AddressedAccount | null> {
    return this.#accounts.find(address)
  }

  holderOf(address: string, now: number): Promise<LoginHolder | null> {
    return this.#accounts.holderOf(address, now)
  }

  async create(
    code: NewCode,
    mail: NewMail,
    limits: CodeLimits,
    signUp: NewSignUp | { earlierCode: string } | null = null,
  ): Promise<number | null> {
    const { id, expires } = code
    const isCreated = { sql: (first: number) => `EXISTS (SELECT 1 FROM twain_code WHERE id = ?${first})`, values: [id] }
    const saveMail = `INSERT INTO twain_mail (id, code, body, expires) SELECT ?1, ?2, ?3, ?4 WHERE ${isCreated.sql(2)}`
    const rows = await this.#tables.run(
      this.#lockLogin(code),
      this.#insert(code, limits),
      this.#query(saveMail, mail.id, id, mail.body, toText(expires)),
      this.#jobs.queries.insertIf(isCreated, mailJob(mail)),
      ...(signUp === null ? [] : [this.#saveSignUp(code, signUp)]),
    )
    if (rows[1]!.length === 0) return this.#nextAllowed(code, limits)
    this.#jobs.enqueued('mail')
    return null
  }

  #saveSignUp({ id, login, created }: NewCode, signUp: NewSignUp | { earlierCode: string }): Query {
    const isCreated = 'EXISTS (SELECT 1 FROM twain_code WHERE id = ?1)'
    if ('earlierCode' in signUp) {
      const sql = `UPDATE twain_sign_up SET code = ?1 WHERE code = ?2 AND ${isCreated}`
      return this.#query(sql, id, signUp.earlierCode)
    }
    const { account, body, expires } = signUp
    const sql =
      'INSERT INTO twain_sign_up (code, login, account, body, created, expires) SELECT ?1, ?2, ?3, ?4, ?5, ?6 ' +
      `WHERE ${isCreated}`
    return this.#query(sql, id, login, account, body, toText(created), toText(expires))
  }

  async signUp(code: string, now: number): Promise<NewSignUp | null> {
    const sql = 'SELECT account, body, expires FROM twain_sign_up WHERE code = ?1 AND expires > ?2'
    const [row] = await this.#read(sql, code, toText(now))
    if (row === undefined) return null
    const [account, body, expires] = row as [string | null, string, SqlValue]
    return { account, body, expires: toTime(expires) }
  }

  async invite(invitation: NewInvitation, mail: NewMail | null, limits: InvitationLimits): Promise<boolean> {
    const { id, link, login, address, shown, account, isOpen, body, owner, created, expires } = invitation
    const { hourlyOfLogin, hourlyOfMaker } = limits
    const isCreated = {
      sql: (first: number) => `EXISTS (SELECT 1 FROM twain_invitation WHERE id = ?${first})`,
      values: [id],
    }
    const count = (condition: string) => `(SELECT count(*) FROM twain_invitation WHERE ${condition} AND created > ?13)`
    const insert =
      'INSERT INTO twain_invitation (id, link, login, address, shown, account, open, body, maker, owner, created, expires) ' +
      'SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12 ' +
      `WHERE ${count('login = ?3')} < ?14 AND ${count('maker = ?9')} < ?15 RETURNING 1`
    const values = [
      id,
      link,
      login,
      address,
      shown,
      account,
      isOpen ? 1 : 0,
      body,
      owner.account,
      JSON.stringify(owner),
    ]
    const saveMail = `INSERT INTO twain_mail (id, code, body, expires) SELECT ?1, ?2, ?3, ?4 WHERE ${isCreated.sql(2)}`
    const rows = await this.#tables.run(
      this.#query(
        ...([insert, ...values, toText(created), toText(expires)] as const),
        ...[toText(created - hourMs), hourlyOfLogin, hourlyOfMaker],
      ),
      ...(mail === null
        ? []
        : [
            this.#query(saveMail, mail.id, id, mail.body, toText(expires)),
            this.#jobs.queries.insertIf(isCreated, mailJob(mail)),
          ]),
    )
    if (rows[0]!.length === 0) return false
    this.#jobs.enqueued('mail')
    return true
  }

  async invitations(maker: string | null, now: number): Promise<ListedInvitation[]> {
    const own = maker === null ? '' : ' AND maker = ?2'
    const sql =
      `SELECT id, ${shownColumn}, created, expires FROM twain_invitation WHERE ended IS NULL AND expires > ?1${own} ` +
      'ORDER BY created DESC, id DESC LIMIT 1000'
    const rows = await this.#read(sql, toText(now), ...(maker === null ? [] : [maker]))
    return rows.map(([id, shown, created, expires]) => ({
      ...{ id: id as string, shown: shown as string },
      ...{ created: toTime(created), expires: toTime(expires) },
    }))
  }

  async waitingInvitation(id: string, maker: string | null, now: number): Promise<WaitingInvitation | null> {
    const own = maker === null ? '' : ' AND maker = ?3'
    const sql =
      `SELECT link, coalesce(shown, address), ${shownColumn}, created FROM twain_invitation ` +
      `WHERE id = ?1 AND ended IS NULL AND expires > ?2${own}`
    const [row] = await this.#read(sql, id, toText(now), ...(maker === null ? [] : [maker]))
    if (row === undefined) return null
    const [link, address, shown, created] = row as [string, string, string, SqlValue]
    return { id, link, address, shown, created: toTime(created) }
  }

  /** The new link is unique, so it shows the later statements whether the first one has changed the invitation. An entry that has
   *  ended keeps the former link, and counts. */
  async reinvite(renewed: RenewedInvitation, mail: NewMail, limits: InvitationLimits): Promise<boolean> {
    const { id, entry, link, formerLink, address, account, isOpen, now, expires } = renewed
    const count = (column: string) =>
      `(SELECT count(*) FROM twain_invitation AS other WHERE other.${column} = twain_invitation.${column} AND other.created > ?9)`
    const renew =
      'UPDATE twain_invitation SET link = ?3, address = ?4, account = ?5, open = ?6, expires = ?7 ' +
      'WHERE id = ?1 AND link = ?2 AND ended IS NULL AND expires > ?8 ' +
      `AND ${count('login')} < ?10 AND ${count('maker')} < ?11 RETURNING 1`
    const isRenewed = {
      sql: (first: number) => `EXISTS (SELECT 1 FROM twain_invitation WHERE link = ?${first})`,
      values: [link],
    }
    const keepFormer =
      'INSERT INTO twain_invitation (id, link, login, address, account, open, body, maker, owner, created, expires, ended) ' +
      "SELECT ?1, ?2, login, address, account, open, '', maker, owner, ?3, expires, ?3 FROM twain_invitation WHERE link = ?4"
    const saveMail = `INSERT INTO twain_mail (id, code, body, expires) SELECT ?1, ?2, ?3, ?4 WHERE ${isRenewed.sql(5)}`
    const hourAgo = toText(now - hourMs)
    const { hourlyOfLogin, hourlyOfMaker } = limits
    const [rows] = await this.#tables.run(
      this.#query(
        ...([renew, id, formerLink, link, address, account, isOpen ? 1 : 0, toText(expires), toText(now)] as const),
        ...[hourAgo, hourlyOfLogin, hourlyOfMaker],
      ),
      this.#query(keepFormer, entry, formerLink, toText(now), link),
      this.#query(`DELETE FROM twain_mail WHERE code = ?1 AND ${isRenewed.sql(2)}`, id, link),
      this.#query(saveMail, mail.id, id, mail.body, toText(expires), link),
      this.#jobs.queries.insertIf(isRenewed, mailJob(mail)),
    )
    if (rows!.length === 0) return false
    this.#jobs.enqueued('mail')
    return true
  }

  async withdraw(id: string, maker: string | null, now: number): Promise<boolean> {
    const own = maker === null ? '' : ' AND maker = ?3'
    const sql = `UPDATE twain_invitation SET ended = ?2 WHERE id = ?1 AND ended IS NULL AND expires > ?2${own} RETURNING 1`
    const [rows] = await this.#tables.run(
      this.#query(sql, id, toText(now), ...(maker === null ? [] : [maker])),
      this.#query(
        'DELETE FROM twain_mail WHERE code IN (SELECT id FROM twain_invitation WHERE id = ?1 AND ended IS NOT NULL)',
        id,
      ),
    )
    return rows!.length > 0
  }

  /** Others that ask for the same login wait for the end of the transaction, and then see its code. */
  #lockLogin({ login, created }: NewCode): Query {
    const sql =
      'INSERT INTO twain_code_login (login, asked) VALUES (?1, ?2) ON CONFLICT (login) DO UPDATE SET asked = excluded.asked'
    return this.#query(sql, login, toText(created))
  }

  #insert(code: NewCode, { open, hourly }: CodeLimits): Query {
    const { id, purpose, login, account, key, hmac, link, created, expires } = code
    // Each purpose by itself: who asks for codes to sign in must not keep the owner from a reset. Used codes count: otherwise the limit
    // would tell that the address has an account.
    const count = (condition: string) =>
      `(SELECT count(*) FROM twain_code WHERE login = ?3 AND purpose = ?2 AND ${condition})`
    const sql =
      'INSERT INTO twain_code (id, purpose, login, account, address, key, hmac, link, created, expires) ' +
      'SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 ' +
      `WHERE ${count('expires > ?9')} < ?11 AND ${count('created > ?12')} < ?13 RETURNING 1`
    const values = [id, purpose, login, account?.account ?? null, account?.address ?? null, key, hmac, link]
    return this.#query(
      ...([sql, ...values, toText(created), toText(expires)] as const),
      ...[open, toText(created - hourMs), hourly],
    )
  }

  async #nextAllowed({ login, purpose, created: now }: NewCode, { open, hourly }: CodeLimits): Promise<number> {
    const sql =
      'SELECT created, expires FROM twain_code WHERE login = ?1 AND created > ?2 AND purpose = ?3 ORDER BY created DESC'
    const rows = await this.#read(sql, login, toText(now - hourMs), purpose)
    const ends = rows.map(([, expires]) => toTime(expires))
    const stillOpen = ends.filter((end) => end > now)
    const whenClosed = stillOpen.length < open ? now : stillOpen[open - 1]!
    const whenForgotten = rows.length < hourly ? now : toTime(rows[hourly - 1]![0]) + hourMs
    return Math.max(whenClosed, whenForgotten)
  }

  async try(
    id: string,
    purpose: CodePurpose,
    login: string,
    maxTries: number,
    now: number,
  ): Promise<StoredCode | null> {
    const isIt = 'id = ?1 AND purpose = ?2 AND login = ?3 AND used IS NULL AND expires > ?4 AND tries < ?5'
    const values = [id, purpose, login, toText(now), maxTries]
    // A secret that was never given away costs no write.
    const [found] = await this.#read(`SELECT 1 FROM twain_code WHERE ${isIt}`, ...values)
    if (found === undefined) return null
    const sql = `UPDATE twain_code SET tries = tries + 1 WHERE ${isIt} RETURNING ${codeColumns}`
    const [[row] = []] = await this.#tables.run(this.#query(sql, ...values))
    return row === undefined ? null : toCode(row)
  }

  async findLink(link: string, now: number): Promise<StoredLink | null> {
    const ofCode =
      `SELECT ${codeColumns}, (SELECT 1 FROM twain_sign_up s WHERE s.code = twain_code.id AND s.account IS NULL) ` +
      'FROM twain_code WHERE link = ?1 AND used IS NULL AND expires > ?2'
    const [row] = await this.#read(ofCode, link, toText(now))
    if (row !== undefined) {
      const code = toCode(row)
      return { purpose: row.at(-1) === null ? code.purpose : 'SIGN_UP', code }
    }
    const pending = `link = ?1 AND proven IS NULL AND ended IS NULL AND expires > ?2`
    const change = await this.#change(pending, link, toText(now))
    if (change !== null) return { purpose: 'CHANGE', change }
    const undone = await this.#change('undo = ?1 AND ended IS NULL AND undoable > ?2', link, toText(now))
    if (undone !== null) return { purpose: 'UNDO', change: undone }
    const invited =
      'SELECT id, address, account, body, owner FROM twain_invitation ' +
      'WHERE link = ?1 AND open = 1 AND ended IS NULL AND expires > ?2'
    const [invitation] = await this.#read(invited, link, toText(now))
    if (invitation === undefined) return null
    const [id, address, account, body, owner] = invitation as [string, string, string | null, string, string]
    return {
      purpose: 'INVITATION',
      invitation: { id, address, account, body, owner: JSON.parse(owner) as InvitationOwner },
    }
  }

  async tryChange(account: string, login: string, maxTries: number, now: number): Promise<StoredChange | null> {
    const sql =
      'UPDATE twain_login_change SET tries = tries + 1 WHERE account = ?1 AND login = ?2 AND proven IS NULL AND ended IS NULL ' +
      `AND expires > ?3 AND tries < ?4 RETURNING ${changeColumns}`
    const [[row] = []] = await this.#tables.run(this.#query(sql, account, login, toText(now), maxTries))
    return row === undefined ? null : toChange(row)
  }

  change(id: string): Promise<StoredChange | null> {
    return this.#change('id = ?1 AND ended IS NULL', id)
  }

  async #change(condition: string, ...values: SqlValue[]): Promise<StoredChange | null> {
    const [row] = await this.#read(`SELECT ${changeColumns} FROM twain_login_change WHERE ${condition}`, ...values)
    return row === undefined ? null : toChange(row)
  }

  async mail(id: string, now: number): Promise<string | null> {
    const [row] = await this.#read('SELECT body FROM twain_mail WHERE id = ?1 AND expires > ?2', id, toText(now))
    return row === undefined ? null : (row[0] as string)
  }

  async deleteMail(id: string): Promise<void> {
    await this.#tables.run(this.#query('DELETE FROM twain_mail WHERE id = ?1', id))
  }

  async prune(): Promise<void> {
    const now = this.#tables.clock.past()
    await this.#tables.run(
      this.#query('DELETE FROM twain_mail WHERE expires <= ?1', toText(now)),
      this.#query('DELETE FROM twain_code WHERE created <= ?1', toText(now - hourMs)),
      this.#query('DELETE FROM twain_code_login WHERE asked <= ?1', toText(now - hourMs)),
      this.#query('DELETE FROM twain_sign_up WHERE expires <= ?1', toText(now)),
      this.#query(
        'DELETE FROM twain_invitation WHERE created <= ?1 AND (expires <= ?2 OR ended IS NOT NULL)',
        toText(now - hourMs),
        toText(now),
      ),
      this.#query(
        'DELETE FROM twain_login_change WHERE created <= ?1 AND undoable <= ?2',
        toText(now - hourMs),
        toText(now),
      ),
    )
  }

  #read(sql: string, ...parameters: SqlValue[]): QueryRows | Promise<QueryRows> {
    return this.#tables.read(this.#query(sql, ...parameters))
  }
}

function mailJob({ id }: NewMail): NewJob {
  return { id, kind: 'mail', name: 'mail', key: null, payload: JSON.stringify({ mail: id }), at: null, by: 'mail' }
}

function toCode([id, purpose, key, hmac, login, account]: SqlValue[]): StoredCode {
  return {
    id: id as string,
    purpose: purpose as CodePurpose,
    key: key as string,
    hmac: hmac as string,
    login: login as string,
    account: account as string | null,
  }
}

function toChange([id, account, address, former, key, hmac]: SqlValue[]): StoredChange {
  const texts = { id, account, address, former, key, hmac }
  return texts as Record<keyof typeof texts, string>
}
