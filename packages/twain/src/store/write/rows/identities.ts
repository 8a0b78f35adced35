// The identity at an external issuer that a new account belongs to. It is written in the transaction of the account: of two
// first requests at once, one creates the account.

import { mailboxOf, type Problem } from '#base'
import type { Query } from '../../sql/query.ts'
import type { StoredRow } from '../access/stored-row.ts'
import type { WriteState } from '../rules/write-state.ts'
import { evaluateChecks, map, ok, type QueryBatch } from '../steps/query-step.ts'

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
  const { issuer, subject, address } = identity
  return [
    context.query(
      'INSERT INTO twain_identity (issuer, subject, account, address, created, used) VALUES (?1, ?2, ?3, ?4, ?5, ?5)',
      ...[issuer, subject, id, address === null ? null : mailboxOf(address), time],
    ),
  ]
}
