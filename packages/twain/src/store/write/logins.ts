// What an account signs in with, beside its row: the canonical login, which no two accounts share, and the password's hash.
// They are no columns of the row, and so stand neither in an answer nor in the change log.

import { canonicalLogin, type Problem } from '#base'
import type { Resource } from '#model'
import { takenMessage } from './conflicts.ts'
import type { StoredRow } from './table-access.ts'
import type { WriterContext } from './writer-context.ts'
import type { Writing } from './writing.ts'

/** Whether another account has this login, or one that looks like it. */
export function findTakenLogin(resource: Resource, row: StoredRow, context: WriterContext, problems: Problem[]): void {
  const login = loginOf(resource, row, context)
  if (login === null) return
  const path = context.account!.login.name
  if (problems.some((problem) => problem.path === path)) return
  const other = context.statements.get('SELECT 1 FROM twain_login WHERE login = ? AND account <> ?').get(login, row.id)
  if (other !== undefined) problems.push({ path, code: 'UNIQUE', message: takenMessage(resource, [path]) })
}

/** Keeps the login in step with the row, and the new password if there is one. */
export function saveLogin(resource: Resource, row: StoredRow, writing: Writing): void {
  const { context, password, time } = writing
  if (resource !== context.account?.resource) return
  const login = loginOf(resource, row, context)
  if (login === null) {
    context.statements.get('DELETE FROM twain_login WHERE account = ?').run(row.id)
  } else {
    context.statements
      .get(
        'INSERT INTO twain_login (account, login, hash, changed) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (account) DO UPDATE ' +
          'SET login = ?2, hash = coalesce(?3, hash), changed = CASE WHEN ?3 IS NULL THEN changed ELSE ?4 END',
      )
      .run(row.id, login, password, time)
  }
}

/** After a change of the password every other token of the account is ended: whoever had the old one is out. */
export function endOtherTokens(account: string, { context, viewer, time }: Writing): void {
  context.statements
    .get('UPDATE twain_token SET ended = ? WHERE account = ? AND id IS NOT ? AND ended IS NULL')
    .run(time, account, viewer.account === account ? viewer.token : null)
}

/** With an account that is deleted, by a cascade too, everything that lets in as it goes. */
export function dropLogin(resource: Resource, id: string, { context, time }: Writing): void {
  if (resource !== context.account?.resource) return
  context.statements.get('DELETE FROM twain_login WHERE account = ?').run(id)
  context.statements.get('UPDATE twain_token SET ended = ? WHERE account = ? AND ended IS NULL').run(time, id)
}

/** Null where the row is no account, or has no login. */
function loginOf(resource: Resource, row: StoredRow, context: WriterContext): string | null {
  const { account } = context
  if (resource !== account?.resource) return null
  const column = context.table(resource).columns.get(account.login)
  const login = column === undefined ? row.id : (row.values.get(column.name) ?? null)
  return login === null ? null : canonicalLogin(String(login))
}
