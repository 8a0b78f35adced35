// Somebody has proven that they read the mails of an account's address (docs/internals/decisions/0081-proven-addresses.md).
//
// 1. The code is used up in the transaction of its effect. A code proves the address to which it was mailed, as it was written.
// 2. If nobody had proven the address before, somebody else may have made the account: it loses its password, sessions and
//    identities, and the changes of its address that wait.
// 3. A new password ends all sessions and cancels the changes that wait.

import { mailboxOf } from '#base'
import type { Resource } from '#model'
import type { AccountProof, CodeProof } from '#plan'
import type { SqlValue } from '../../sql/encode.ts'
import type { Query, QueryRows } from '../../sql/query.ts'
import { wrongCode } from '../../system/code-store.ts'
import { insertToken } from '../../system/insert-token.ts'
import { toText } from '../../system/system-tables.ts'
import type { StoredRow } from '../access/stored-row.ts'
import type { WriterContext } from '../access/writer-context.ts'
import type { WriteState } from '../rules/write-state.ts'
import type { Step } from '../steps/query-step.ts'
import { endCodes, writtenLogin } from './logins.ts'

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
  const address = writtenLogin(resource, row, context)
  if (address === null) throw wrongCode()
  yield* claim(proof, row.id, address, context)
  const isProven = (yield* hasVerifiedIdentity(row.id, address, context)) || verifiedColumn(row, context).value !== null
  return {
    changed: isProven ? new Map() : verified(time, context),
    save: [
      ...endCodes(row.id, state),
      ...(isProven || (proof.kind === 'code' && proof.isOwner) ? [] : emptied(row.id, time, context)),
      ...effects(proof, row.id, time, context),
    ],
  }
}

/** Another address is not proven. */
export function unproven(
  resource: Resource,
  touched: ReadonlySet<string>,
  context: WriterContext,
): ReadonlyMap<string, SqlValue> {
  const { account } = context
  if (resource !== account?.resource || account.verifiedAt === null || !touched.has(account.login.name))
    return new Map()
  return new Map(context.table(resource).encode(account.verifiedAt, null))
}

/** The columns of a new account whose address is proven. */
export function provenColumns(resource: Resource, row: StoredRow, state: WriteState): ReadonlyMap<string, SqlValue> {
  const { context, identity, time } = state
  const address = identity?.address ?? null
  const login = writtenLogin(resource, row, context)
  const isProven = address !== null && login !== null && mailboxOf(address) === mailboxOf(login)
  return isProven && context.account?.verifiedAt ? verified(time, context) : new Map()
}

function* claim(proof: AccountProof, account: string, address: string, context: WriterContext): Step<void> {
  if (proof.kind === 'identity') {
    if (mailboxOf(proof.identity.address) !== mailboxOf(address)) throw wrongCode()
    return
  }
  const sql =
    'UPDATE twain_code SET used = ?2 WHERE id = ?1 AND used IS NULL AND account = ?3 AND address = ?4 AND expires > ?5 RETURNING 1'
  const query = context.query(sql, proof.code, proof.use, account, address, toText(proof.now))
  const [claimed] = (yield [query]) as [QueryRows]
  if (claimed.length === 0) throw wrongCode()
}

function* hasVerifiedIdentity(account: string, address: string, context: WriterContext): Step<boolean> {
  const sql = 'SELECT 1 FROM twain_identity WHERE account = ?1 AND address = ?2'
  const [found] = (yield [context.query(sql, account, mailboxOf(address))]) as [QueryRows]
  return found.length > 0
}

function emptied(account: string, time: string, context: WriterContext): Query[] {
  return [
    context.query('UPDATE twain_login SET hash = NULL, changed = ?2 WHERE account = ?1', account, time),
    ...endSessions(account, time, context),
    context.query('DELETE FROM twain_identity WHERE account = ?1', account),
  ]
}

function endSessions(account: string, time: string, context: WriterContext): Query[] {
  return [context.query('UPDATE twain_token SET ended = ?2 WHERE account = ?1 AND ended IS NULL', account, time)]
}

function effects(proof: AccountProof, account: string, time: string, context: WriterContext): Query[] {
  return proof.kind === 'code'
    ? codeEffects(proof, account, time, context)
    : attachIdentity(proof, account, time, context)
}

function codeEffects(proof: CodeProof, account: string, time: string, context: WriterContext): Query[] {
  const { password, session } = proof
  const setHash = 'UPDATE twain_login SET hash = ?2, changed = ?3 WHERE account = ?1'
  return [
    ...(password === null
      ? []
      : [context.query(setHash, account, password, time), ...endSessions(account, time, context)]),
    ...(session === null ? [] : insertToken(session, { sql: 'account = ?7', values: [account] }, context.query)),
  ]
}

function attachIdentity(
  { identity }: AccountProof & { kind: 'identity' },
  account: string,
  time: string,
  context: WriterContext,
): Query[] {
  const { issuer, subject, address } = identity
  const attach =
    'INSERT INTO twain_identity (issuer, subject, account, address, created, used) VALUES (?1, ?2, ?3, ?4, ?5, ?5) ' +
    'ON CONFLICT (issuer, subject) DO NOTHING'
  return [context.query(attach, issuer, subject, account, mailboxOf(address), time)]
}

function verified(time: string, context: WriterContext): ReadonlyMap<string, SqlValue> {
  const { resource, verifiedAt } = context.account!
  return new Map(context.table(resource).encode(verifiedAt!, time))
}

function verifiedColumn(row: StoredRow, context: WriterContext): { value: SqlValue } {
  const { resource, verifiedAt } = context.account!
  const { name } = context.table(resource).columns.get(verifiedAt!)!
  return { value: row.values.get(name) ?? null }
}
