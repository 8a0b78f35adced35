// An account changes its own login. The present address stays until the new one is proven; it is told, and can undo the change for
// seven days (docs/internals/decisions/0081-proven-addresses.md).

import { ApiError, canonicalLogin, mailboxOf } from '#base'
import type { Resource } from '#model'
import type { LoginChange, SealedMail } from '#plan'
import type { SqlValue } from '../../../sql/encode.ts'
import type { Query, QueryRows } from '../../../sql/query.ts'
import { toText } from '../../../system/system-tables.ts'
import type { StoredRow } from '../../access/stored-row.ts'
import type { WriterContext } from '../../access/writer-context.ts'
import type { WriteState } from '../../rules/write-state.ts'
import type { Step } from '../../steps/query-step.ts'
import { isVerified, writtenLogin } from './logins.ts'

const maxHourly = 10
const hourMs = 3_600_000

/** A change of the login that waits for its proof: it is taken out of the changed columns. */
export interface PendingLogin {
  /** The row as it would be with the new login, to find conflicts. */
  row: StoredRow
  save: Query[]
}

/** Takes the login out of `changed` if its new address must be proven. Null: it changes at once, or not at all. */
export function* postponeLogin(
  resource: Resource,
  row: StoredRow,
  changed: Map<string, SqlValue>,
  state: WriteState,
): Step<PendingLogin | null> {
  const { context, viewer, confirmation } = state
  const column = loginColumn(resource, context)
  if (column === null || viewer.account !== row.id || !changed.has(column)) return null
  const change = confirmation === null || confirmation.kind === 'wrongPassword' ? null : (confirmation.change ?? null)
  const address = changed.get(column)
  const former = writtenLogin(resource, row, context)
  if (change === null || former === null || address === null) return null
  if (mailboxOf(String(address)) === mailboxOf(former)) return null
  const next = { ...row, values: new Map([...row.values, [column, address!]]) }
  changed.delete(column)
  yield* requireFewChanges(row.id, change, context)
  return { row: next, save: saveChange(row, String(address), former, change, context) }
}

/** Ends the changes that wait for their proof. */
export function cancelChanges(account: string, { context, time }: WriteState): Query {
  const sql = 'UPDATE twain_login_change SET ended = ?2 WHERE account = ?1 AND proven IS NULL AND ended IS NULL'
  return context.query(sql, account, time)
}

function loginColumn(resource: Resource, context: WriterContext): string | null {
  const { account } = context
  if (resource !== account?.resource || account.verifiedAt === null) return null
  return context.table(resource).columns.get(account.login)?.name ?? null
}

function* requireFewChanges(account: string, { created }: LoginChange, context: WriterContext): Step<void> {
  const sql = 'SELECT count(*) FROM twain_login_change WHERE account = ?1 AND created > ?2'
  const [[row]] = (yield [context.query(sql, account, toText(created - hourMs))]) as [QueryRows]
  if (Number(row![0]) < maxHourly) return
  throw new ApiError('TOO_MANY_REQUESTS', 'You have changed your address too often.', {
    hint: `An account may ask for ${maxHourly} changes an hour.`,
    headers: { 'retry-after': '3600' },
  })
}

function saveChange(
  row: StoredRow,
  address: string,
  former: string,
  change: LoginChange,
  context: WriterContext,
): Query[] {
  const { id, key, hmac, link, undo, mails, created, expires, undoableUntil } = change
  const isTold = isVerified(row, context)
  const insert =
    'INSERT INTO twain_login_change (id, account, address, login, former, former_login, key, hmac, link, undo, created, expires, undoable) ' +
    'VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)'
  const end = 'UPDATE twain_login_change SET ended = ?2 WHERE account = ?1 AND proven IS NULL AND ended IS NULL'
  return [
    context.query(end, row.id, toText(created)),
    context.query(
      ...[insert, id, row.id, address, canonicalLogin(address), former, canonicalLogin(former)],
      ...[key, hmac, link, isTold ? undo : null, toText(created), toText(expires), toText(undoableUntil)],
    ),
    ...sendMail(mails.proof, change, context),
    ...(isTold ? sendMail(mails.notice, change, context) : []),
  ]
}

function sendMail(
  { id, body }: SealedMail,
  { id: change, created, expires }: LoginChange,
  context: WriterContext,
): Query[] {
  const sql = 'INSERT INTO twain_mail (id, code, body, expires) VALUES (?1, ?2, ?3, ?4)'
  const payload = JSON.stringify({ mail: id })
  return [
    context.query(sql, id, change, body, toText(expires)),
    context.enqueue({ id, kind: 'mail', name: 'mail', key: null, payload, at: created, by: 'mail' }),
  ]
}
