// Somebody has proven that they read the mails of an account's address (docs/internals/decisions/0081-proven-addresses.md).
//
// 1. The code is used up in the transaction of its effect. A code proves the address to which it was mailed, as it was written.
// 2. If nobody had proven the address before, somebody else may have made the account: it loses its password, sessions and
//    identities, and the changes of its address that wait.
// 3. A new password ends all sessions and cancels the changes that wait.

import { ApiError, mailboxOf, unreachable } from '#base'
import type { Resource } from '#model'
import type { AccountLock, AccountProof } from '#plan'
import type { SqlValue } from '../../../sql/encode.ts'
import type { Query, QueryRows } from '../../../sql/query.ts'
import { wrongCode } from '../../../system/accounts/code-store.ts'
import { insertToken } from '../../../system/accounts/insert-token.ts'
import { toText } from '../../../system/system-tables.ts'
import type { StoredRow } from '../../access/stored-row.ts'
import type { WriterContext } from '../../access/writer-context.ts'
import type { WriteState } from '../../rules/write-state.ts'
import type { Step } from '../../steps/query-step.ts'
import { insertIdentity } from './identities.ts'
import { cancelChanges } from './login-changes.ts'
import { endCodes, isLocked, isVerified, writtenLogin } from './logins.ts'

/** What the proof of an address changes of the row, and what it does beside it. */
export interface ProofEffect {
  changed: ReadonlyMap<string, SqlValue>
  save: Query[]
}

const nothing: ProofEffect = { changed: new Map(), save: [] }

/** Claims the proof of a write, which must be about an account. Throws UNAUTHENTICATED if its code can't be used any more. */
export function* claimProof(resource: Resource, row: StoredRow, state: WriteState): Step<ProofEffect> {
  const { context, proof, time } = state
  if (proof === null) return nothing
  if (proof.kind === 'lock') return lockEffect(proof.locked, row, state)
  if (isLocked(row, context)) throw wrongCode()
  const address = writtenLogin(resource, row, context)
  if (address === null) throw wrongCode()
  yield* claim(proof, row.id, address, context)
  const isChange = proof.kind === 'change' || proof.kind === 'undo'
  const isProven = isVerified(row, context) || (yield* hasVerifiedIdentity(row.id, address, context))
  const isOwner = proof.kind !== 'identity' && proof.isOwner
  return {
    changed: isProven && !isChange ? new Map() : verified(time, context),
    save: [
      ...endCodes(row.id, state),
      ...((isProven && !isChange) || isOwner ? [] : emptied(row.id, state)),
      ...effects(proof, row.id, state),
    ],
  }
}

/** Another address is not proven. */
export function unproven(
  resource: Resource,
  row: StoredRow,
  changed: ReadonlyMap<string, SqlValue>,
  context: WriterContext,
): ReadonlyMap<string, SqlValue> {
  const { account } = context
  if (resource !== account?.resource || account.verifiedAt === null) return new Map()
  const table = context.table(resource)
  const next = changed.get(table.columns.get(account.login)?.name ?? '')
  const former = writtenLogin(resource, row, context)
  const isSame = next === undefined || (former !== null && mailboxOf(String(next)) === mailboxOf(former))
  return isSame ? new Map() : new Map(table.encode(account.verifiedAt, null))
}

/** The columns of a new account whose address is proven. */
export function provenColumns(resource: Resource, row: StoredRow, state: WriteState): ReadonlyMap<string, SqlValue> {
  const { context, identity, time } = state
  const signUp = state.signUp === 'rehearsal' ? null : state.signUp
  const address = signUp?.address ?? identity?.address ?? null
  const login = writtenLogin(resource, row, context)
  const isProven = address !== null && login !== null && mailboxOf(address) === mailboxOf(login)
  const provenAt = signUp === null ? time : toText(signUp.now)
  return isProven && context.account?.verifiedAt ? verified(provenAt, context) : new Map()
}

function* claim(
  proof: Exclude<AccountProof, AccountLock>,
  account: string,
  address: string,
  context: WriterContext,
): Step<void> {
  if (proof.kind === 'identity') {
    if (mailboxOf(proof.identity.address) !== mailboxOf(address)) throw wrongCode()
    return
  }
  const now = toText(proof.now)
  const query =
    proof.kind === 'code'
      ? context.query(claimed.code, proof.code, proof.use, account, address, now)
      : context.query(
          ...([claimed[proof.kind], proof.kind === 'invitation' ? proof.invitation : proof.change] as const),
          ...[account, proof.address, now],
        )
  const [rows] = (yield [query]) as [QueryRows]
  if (rows.length === 0) throw wrongCode()
}

const claimed = {
  code: 'UPDATE twain_code SET used = ?2 WHERE id = ?1 AND used IS NULL AND account = ?3 AND address = ?4 AND expires > ?5 RETURNING 1',
  change:
    'UPDATE twain_login_change SET proven = ?4 WHERE id = ?1 AND account = ?2 AND address = ?3 AND proven IS NULL ' +
    'AND ended IS NULL AND expires > ?4 RETURNING 1',
  undo:
    'UPDATE twain_login_change SET ended = ?4 WHERE id = ?1 AND account = ?2 AND former = ?3 AND undo IS NOT NULL ' +
    'AND ended IS NULL AND undoable > ?4 RETURNING 1',
  // Whoever has a password meanwhile keeps it.
  invitation:
    'UPDATE twain_invitation SET ended = ?4 WHERE id = ?1 AND account = ?2 AND address = ?3 AND ended IS NULL AND expires > ?4 ' +
    'AND EXISTS (SELECT 1 FROM twain_login WHERE account = ?2 AND hash IS NULL) RETURNING 1',
}

function* hasVerifiedIdentity(account: string, address: string, context: WriterContext): Step<boolean> {
  const sql = 'SELECT 1 FROM twain_identity WHERE account = ?1 AND address = ?2'
  const [found] = (yield [context.query(sql, account, mailboxOf(address))]) as [QueryRows]
  return found.length > 0
}

function emptied(account: string, state: WriteState): Query[] {
  const { context, time } = state
  return [
    context.query('UPDATE twain_login SET hash = NULL, changed = ?2 WHERE account = ?1', account, time),
    ...endSessions(account, state),
    context.query('DELETE FROM twain_identity WHERE account = ?1', account),
    cancelChanges(account, state),
  ]
}

/** A locked account has no sessions, no codes and no changes of its address that wait. Its password and identities stay. */
function lockEffect(locked: boolean, row: StoredRow, state: WriteState): ProofEffect {
  const { context, viewer, time } = state
  if (locked && viewer.account === row.id) {
    throw new ApiError('CONFLICT', 'You cannot lock your own account.', { hint: 'Another administrator can.' })
  }
  if (isLocked(row, context) === locked) return nothing
  const { resource, lockedAt } = context.account!
  const changed = new Map(context.table(resource).encode(lockedAt, locked ? time : null))
  if (!locked) return { changed, save: [] }
  return { changed, save: [...endCodes(row.id, state), ...endSessions(row.id, state), cancelChanges(row.id, state)] }
}

function endSessions(account: string, { context, time }: WriteState): Query[] {
  return [context.query('UPDATE twain_token SET ended = ?2 WHERE account = ?1 AND ended IS NULL', account, time)]
}

function effects(proof: Exclude<AccountProof, AccountLock>, account: string, state: WriteState): Query[] {
  const { context, time } = state
  switch (proof.kind) {
    case 'identity':
      return [insertIdentity(proof.identity, account, time, context, ' ON CONFLICT (issuer, subject) DO NOTHING')]
    case 'code': {
      const { session } = proof
      const begin =
        session === null
          ? []
          : insertToken(session, { sql: 'account = ?7', values: [account] }, context.clock, context.query)
      return [...setPassword(proof.password, account, state), ...begin]
    }
    case 'change':
    case 'invitation':
      return setPassword(proof.password, account, state)
    case 'undo':
      // The changes after this one are those of somebody else, too.
      return [
        context.query('UPDATE twain_login_change SET ended = ?2 WHERE account = ?1 AND ended IS NULL', account, time),
        ...setPassword(proof.password, account, state),
      ]
    default:
      return unreachable(proof)
  }
}

/** A new password ends all sessions and cancels the changes that wait. */
function setPassword(hash: string | null, account: string, state: WriteState): Query[] {
  if (hash === null) return []
  const { context, time } = state
  return [
    context.query('UPDATE twain_login SET hash = ?2, changed = ?3 WHERE account = ?1', account, hash, time),
    ...endSessions(account, state),
    cancelChanges(account, state),
  ]
}

function verified(time: string, context: WriterContext): ReadonlyMap<string, SqlValue> {
  const { resource, verifiedAt } = context.account!
  return new Map(context.table(resource).encode(verifiedAt!, time))
}
