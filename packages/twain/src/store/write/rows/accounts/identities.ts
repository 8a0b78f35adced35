// The identity at an external issuer that a new account belongs to. It is written in the transaction of the account: of two
// first requests at once, one creates the account.

import { mailboxOf, type Problem, uuidv7 } from '#base'
import type { NewIdentity } from '#plan'
import type { Query } from '../../../sql/query.ts'
import type { StoredRow } from '../../access/stored-row.ts'
import type { WriterContext } from '../../access/writer-context.ts'
import type { WriteState } from '../../rules/write-state.ts'
import { evaluateChecks, map, ok, type QueryBatch } from '../../steps/query-step.ts'

export function findIdentityConflict({ context, identity }: WriteState, problems: Problem[]): QueryBatch<void> {
  if (identity === null) return ok
  const sql = 'SELECT 1 FROM twain_identity WHERE issuer = ?1 AND subject = ?2'
  const isAttached = evaluateChecks([context.query(sql, identity.issuer, identity.subject)], 'none')
  return map(isAttached, ([attached]) => {
    if (attached!) problems.push({ path: '', code: 'UNIQUE', message: 'An account belongs to this identity already.' })
  })
}

export function saveIdentity({ id }: StoredRow, { context, identity, time }: WriteState): Query[] {
  if (identity === null) return []
  return [insertIdentity(identity, id, time, context, '')]
}

/** `onConflict` is appended to the statement. */
export function insertIdentity(
  { issuer, subject, address, provider }: NewIdentity,
  account: string,
  time: string,
  context: WriterContext,
  onConflict: string,
): Query {
  const insert =
    'INSERT INTO twain_identity (issuer, subject, account, address, created, used, id, provider) ' +
    `VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7)${onConflict}`
  const mailbox = address === null ? null : mailboxOf(address)
  return context.query(insert, issuer, subject, account, mailbox, time, uuidv7(), provider ?? null)
}
