// Accounts whose owners sign up, where the address must be proven first (docs/internals/decisions/0084-sign-up.md).
//
// 1. A guest creates an account only by a sign-up, whichever write would create it: alone, in a list, nested, by a replace or an
//    upsert. Only a provider that proves the address signs up somebody at once.
// 2. A rehearsal judges the row as if its login were free. It does the same work for a taken one.
// 3. The code or the invitation, and the kept input are used up in the transaction that creates the row.

import { ApiError, canonicalLogin } from '#base'
import type { Resource } from '#model'
import type { SqlValue } from '../../../sql/encode.ts'
import type { Query, QueryRows } from '../../../sql/query.ts'
import { wrongCode } from '../../../system/accounts/code-store.ts'
import { toText } from '../../../system/system-tables.ts'
import type { StoredRow } from '../../access/stored-row.ts'
import type { WriteState } from '../../rules/write-state.ts'
import type { Step } from '../../steps/query-step.ts'

/** Throws FORBIDDEN if the row is an account that its owner must sign up for. */
export function requireSignUp(resource: Resource, { context, viewer, signUp, identity }: WriteState): void {
  const { account } = context
  if (resource !== account?.resource || account.verification !== 'REQUIRED') return
  if (!viewer.isGuest || signUp !== null || (identity?.address ?? null) !== null) return
  const { name, path } = resource
  throw new ApiError('FORBIDDEN', `A ${name} proves its ${account.login.name} before it is created.`, {
    hint: `Sign up: POST /${path} with one ${name} and without other writes, in GraphQL signUp(input: …).`,
  })
}

/** The row that a rehearsal writes: its login is one that nobody has. */
export function withFreeLogin(resource: Resource, row: StoredRow, { context, signUp }: WriteState): StoredRow {
  const { account } = context
  if (signUp !== 'rehearsal' || resource !== account?.resource) return row
  const free = context.table(resource).encode(account.login, row.id)
  return { ...row, values: new Map<string, SqlValue>([...row.values, ...free]) }
}

/** Uses the code up. Throws UNAUTHENTICATED if that is not possible any more. */
export function* claimSignUp({ context, signUp }: WriteState): Step<void> {
  if (signUp === null || signUp === 'rehearsal') return
  const { by, address, now } = signUp
  const [claimed] = (yield [context.query(claims[by.kind], by.id, toText(now), canonicalLogin(address))]) as [QueryRows]
  if (claimed.length === 0) throw wrongCode()
}

const claims = {
  code:
    'UPDATE twain_code SET used = ?2 WHERE id = ?1 AND used IS NULL AND expires > ?2 AND EXISTS ' +
    '(SELECT 1 FROM twain_sign_up WHERE code = ?1 AND login = ?3 AND account IS NULL AND expires > ?2) RETURNING 1',
  invitation:
    'UPDATE twain_invitation SET ended = ?2 WHERE id = ?1 AND login = ?3 AND account IS NULL AND ended IS NULL ' +
    'AND expires > ?2 RETURNING 1',
}

/** Nobody else signs up with the login any more: its kept inputs and invitations go, with their codes and mails. */
export function endSignUps({ context, signUp, time }: WriteState): Query[] {
  if (signUp === null || signUp === 'rehearsal') return []
  const login = canonicalLogin(signUp.address)
  const codes = '(SELECT code FROM twain_sign_up WHERE login = ?1)'
  return [
    context.query(`DELETE FROM twain_mail WHERE code IN ${codes}`, login),
    context.query(`UPDATE twain_code SET used = ?2 WHERE id IN ${codes} AND used IS NULL`, login, time),
    context.query('DELETE FROM twain_sign_up WHERE login = ?1', login),
    context.query('UPDATE twain_invitation SET ended = ?2 WHERE login = ?1 AND ended IS NULL', login, time),
  ]
}
