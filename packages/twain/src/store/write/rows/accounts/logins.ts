// What an account signs in with: the canonical login, unique among accounts, and the hash of the password. They are not
// columns of the row, and so appear neither in a response nor in the change log.

import { ApiError, canonicalLogin, neverWhileActing, type Problem, uuidv7 } from '#base'
import type { Resource } from '#model'
import type { Query } from '../../../sql/query.ts'
import type { KeptParts } from '../../../system/trash-table.ts'
import type { StoredRow } from '../../access/stored-row.ts'
import type { WriterContext } from '../../access/writer-context.ts'
import type { WriteState } from '../../rules/write-state.ts'
import { evaluateChecks, map, ok, type QueryBatch } from '../../steps/query-step.ts'
import { uniqueMessage } from '../conflicts.ts'

const deleteLogin = 'DELETE FROM twain_login WHERE account = ?1'

/** Finds another account with this login, or one that looks like it; or one that may still take it back. A field that already has a problem gets no second
 *  one. */
export function findLoginConflict(
  resource: Resource,
  row: StoredRow,
  { context, time }: Pick<WriteState, 'context' | 'time'>,
  problems: Problem[],
): QueryBatch<void> {
  const login = loginOf(resource, row, context)
  if (login === null) return ok
  const path = context.account!.login.name
  const isTaken = evaluateChecks(
    [
      context.query(
        'SELECT 1 FROM twain_login WHERE login = ?1 AND account <> ?2 UNION ALL SELECT 1 FROM twain_login_change ' +
          'WHERE former_login = ?1 AND account <> ?2 AND proven IS NOT NULL AND ended IS NULL AND undo IS NOT NULL AND undoable > ?3',
        ...[login, row.id, time],
      ),
    ],
    'none',
  )
  return map(isTaken, ([taken]) => {
    if (!taken! || problems.some((problem) => problem.path === path)) return
    problems.push({ path, code: 'UNIQUE', message: uniqueMessage(resource, [path]) })
  })
}

/** A viewer changes the password or the login of their own account only with the current password or after a recent sign-in: a
 *  token may be stolen. */
export function requireConfirmation(
  resource: Resource,
  id: string,
  touched: ReadonlySet<string>,
  { context, viewer, password, confirmation }: WriteState,
): QueryBatch<void> {
  const { account } = context
  if (resource !== account?.resource) return ok
  const changesLogin = touched.has(account.login.name)
  if (viewer.isActing === true && (password !== null || changesLogin || touched.has(account.roles?.name ?? ''))) {
    throw neverWhileActing('change the login, the password or the roles of an account')
  }
  if (viewer.account !== id) return ok
  if ((password === null && !changesLogin) || confirmation?.kind === 'recent') return ok
  const changed = changesLogin ? account.login.name : 'password'
  if (confirmation === null) throw reauthenticationRequired(changed)
  if (confirmation.kind === 'wrongPassword') throw wrongPassword(changed)
  // The password may have changed since it was checked.
  const sql = 'SELECT 1 FROM twain_login WHERE account = ?1 AND hash = ?2'
  return map(evaluateChecks([context.query(sql, id, confirmation.hash)]), ([isCurrent]) => {
    if (!isCurrent!) throw wrongPassword(changed)
  })
}

/** Nobody makes, deletes or restores an account while they act as somebody: not by a cascade either. */
export function requireOwnToken(resource: Resource, { context, viewer }: Pick<WriteState, 'context' | 'viewer'>): void {
  if (viewer.isActing !== true || resource !== context.account?.resource) return
  throw neverWhileActing('create, delete or restore an account')
}

/** The same for a delete of their own account, which can't be undone. A delete of a parent that takes the account along asks for nothing. */
export function requireConfirmedDelete(resource: Resource, id: string, state: WriteState): QueryBatch<void> {
  const { context, viewer, confirmation } = state
  requireOwnToken(resource, state)
  if (resource !== context.account?.resource || viewer.account !== id || confirmation?.kind === 'recent') return ok
  if (confirmation === null)
    throw confirmationOfDelete('REQUIRED', 'A delete of your own account needs your current password.')
  const wrong = () => confirmationOfDelete('WRONG', 'Your account was not deleted: the current password is wrong.')
  if (confirmation.kind === 'wrongPassword') throw wrong()
  const sql = 'SELECT 1 FROM twain_login WHERE account = ?1 AND hash = ?2'
  return map(evaluateChecks([context.query(sql, id, confirmation.hash)]), ([isCurrent]) => {
    if (!isCurrent!) throw wrong()
  })
}

function confirmationOfDelete(code: 'REQUIRED' | 'WRONG', message: string): ApiError {
  return new ApiError('REAUTHENTICATION_REQUIRED', message, {
    hint: confirmationHint,
    problems: [{ path: 'currentPassword', code, message: code === 'WRONG' ? 'is wrong.' : 'is required.' }],
  })
}

const confirmationHint =
  'Send the current password as currentPassword, or sign in again with POST /tokens (createToken): a sign-in counts for five minutes.'

function reauthenticationRequired(changed: string): ApiError {
  return new ApiError('REAUTHENTICATION_REQUIRED', `A change of your own ${changed} needs your current password.`, {
    hint: confirmationHint,
    problems: [{ path: 'currentPassword', code: 'REQUIRED', message: 'is required.' }],
  })
}

function wrongPassword(changed: string): ApiError {
  return new ApiError('REAUTHENTICATION_REQUIRED', `Your ${changed} was not changed: the current password is wrong.`, {
    hint: confirmationHint,
    problems: [{ path: 'currentPassword', code: 'WRONG', message: 'is wrong.' }],
  })
}

/** Saves the login of the row, and the new password if there is one. */
export function saveLogin(resource: Resource, row: StoredRow, state: WriteState): Query[] {
  const { context, password, time } = state
  if (resource !== context.account?.resource) return []
  const login = loginOf(resource, row, context)
  if (login === null) return [context.query(deleteLogin, row.id)]
  return [
    context.query(
      'INSERT INTO twain_login (account, login, hash, changed) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (account) DO UPDATE ' +
        'SET login = excluded.login, hash = coalesce(excluded.hash, twain_login.hash), ' +
        'changed = CASE WHEN excluded.hash IS NULL THEN twain_login.changed ELSE excluded.changed END',
      ...[row.id, login, password, time],
    ),
  ]
}

/** Ends the codes of the account, and the mails that carry them: they must not outlive its password. They come before the login, as
 *  in the use of a code: of two concurrent transactions, one waits for the other. */
export function endCodes(account: string, { context, time }: WriteState): Query[] {
  return [
    context.query('UPDATE twain_code SET used = ?1 WHERE account = ?2 AND used IS NULL', time, account),
    context.query('DELETE FROM twain_mail WHERE code IN (SELECT id FROM twain_code WHERE account = ?1)', account),
  ]
}

/** Ends every other token of the account after a change of its password. */
export function endOtherTokens(account: string, { context, viewer, time }: WriteState): Query {
  return context.query(
    'UPDATE twain_token SET ended = ?1 WHERE account = ?2 AND id IS DISTINCT FROM ?3 AND ended IS NULL',
    ...[time, account, viewer.account === account ? viewer.token : null],
  )
}

/** Removes everything that signs in as a deleted account, also after a cascade. */
export function removeLogin(resource: Resource, id: string, state: WriteState): Query[] {
  const { context, time } = state
  if (resource !== context.account?.resource) return []
  requireOwnToken(resource, state)
  return [
    ...endCodes(id, state),
    context.query(deleteLogin, id),
    // After the login: an identity joins an account while it locks the login.
    context.query('DELETE FROM twain_identity WHERE account = ?1', id),
    context.query('DELETE FROM twain_login_change WHERE account = ?1', id),
    context.query('UPDATE twain_token SET ended = ?1 WHERE account = ?2 AND ended IS NULL', time, id),
  ]
}

/** Lets a restored account sign in again. Its tokens stay ended. An identity that has joined another account meanwhile stays there. */
export function restoreLogin(
  resource: Resource,
  row: StoredRow,
  kept: KeptParts | null,
  context: WriterContext,
): Query[] {
  const login = loginOf(resource, row, context)
  const saved = kept?.login
  const queries =
    login === null || saved === undefined
      ? []
      : [
          context.query(
            'INSERT INTO twain_login (account, login, hash, changed) VALUES (?1, ?2, ?3, ?4)',
            ...[row.id, login, saved.hash, saved.changed],
          ),
        ]
  const identities = (kept?.identities ?? []).map(({ issuer, subject, address, created, used, provider = null }) =>
    context.query(
      'INSERT INTO twain_identity (issuer, subject, account, address, created, used, id, provider) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ' +
        'ON CONFLICT (issuer, subject) DO NOTHING',
      ...[issuer, subject, row.id, address, created, used, uuidv7(), provider],
    ),
  )
  return [...queries, ...identities]
}

/** Null if the row is no account or has no login. */
function loginOf(resource: Resource, row: StoredRow, context: WriterContext): string | null {
  const login = writtenLogin(resource, row, context)
  return login === null ? null : canonicalLogin(login)
}

/** Whether the address of the account is proven. */
export function isVerified(row: StoredRow, context: WriterContext): boolean {
  const { resource, verifiedAt } = context.account!
  const column = verifiedAt && context.table(resource).columns.get(verifiedAt)
  return column != null && (row.values.get(column.name) ?? null) !== null
}

/** Whether an administrator locked the account. */
export function isLocked(row: StoredRow, context: WriterContext): boolean {
  const { resource, lockedAt } = context.account!
  const column = context.table(resource).columns.get(lockedAt)
  return column !== undefined && (row.values.get(column.name) ?? null) !== null
}

/** The login as it stands in the row; null if the row is no account or has none. */
export function writtenLogin(resource: Resource, row: StoredRow, context: WriterContext): string | null {
  const { account } = context
  if (resource !== account?.resource) return null
  const column = context.table(resource).columns.get(account.login)
  const login = column === undefined ? row.id : (row.values.get(column.name) ?? null)
  return login === null ? null : String(login)
}
