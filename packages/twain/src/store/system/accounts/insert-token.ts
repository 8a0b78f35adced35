// The statements that make a session.

import type { NewSession } from '#plan'
import type { SqlValue } from '../../sql/encode.ts'
import type { Query } from '../../sql/query.ts'
import type { StoreClock } from '../../store-clock.ts'
import { type SystemQuery, toText } from '../system-tables.ts'
import type { ActingSession } from './credential-store.ts'

/** How many signed-in devices an account may have: one more sign-in deletes the least recently used token. */
const maxTokensPerAccount = 100

/** A condition on the row of `twain_login`, whose placeholders begin with `?7`. */
interface LoginCondition {
  sql: string
  values: readonly SqlValue[]
}

/** The last statement returns a row if the condition holds and the token was inserted. */
export function insertToken(
  token: NewSession,
  condition: LoginCondition,
  clock: StoreClock,
  query: SystemQuery,
): Query[] {
  const { id, account, generation, created, used, expires, client, how, address } = token
  const tooOld = 'DELETE FROM twain_token WHERE account = ?1 AND (ended IS NOT NULL OR expires <= ?2)'
  const tooMany =
    'DELETE FROM twain_token WHERE account = ?1 AND by IS NULL AND id NOT IN ' +
    '(SELECT id FROM twain_token WHERE account = ?1 AND by IS NULL ORDER BY used DESC, id DESC LIMIT ?2)'
  const next = 7 + condition.values.length
  const insert =
    'INSERT INTO twain_token (id, account, generation, created, used, expires, client, how, address) ' +
    `SELECT ?1, account, ?2, ?3, ?4, ?5, ?6, ?${next}, ?${next + 1} FROM twain_login WHERE ${condition.sql} RETURNING 1`
  return [
    query(tooOld, account, toText(clock.past())),
    query(tooMany, account, maxTokensPerAccount - 1),
    query(
      insert,
      ...[id, generation, toText(created), toText(used), toText(expires), client],
      ...condition.values,
      ...[how, address],
    ),
  ]
}

/** In how many sessions an account may act at the same time. */
const maxActingPerAccount = 20

/** Without the client and the network of whoever acts: the account sees the session. */
export function insertActing(session: ActingSession, clock: StoreClock, query: SystemQuery): Query[] {
  const { id, account, role, created, expires, by, actor, identity, readOnly, reason } = session
  const tooOld = 'DELETE FROM twain_token WHERE actor = ?1 AND (ended IS NOT NULL OR expires <= ?2)'
  const tooMany =
    'DELETE FROM twain_token WHERE actor = ?1 AND id NOT IN ' +
    '(SELECT id FROM twain_token WHERE actor = ?1 ORDER BY created DESC, id DESC LIMIT ?2)'
  const insert =
    'INSERT INTO twain_token (id, account, role, generation, created, used, expires, how, by, actor, identity, ' +
    "read_only, reason) VALUES (?1, ?2, ?3, 1, ?4, ?4, ?5, 'ACTING', ?6, ?7, ?8, ?9, ?10)"
  return [
    ...(actor === null
      ? []
      : [query(tooOld, actor, toText(clock.past())), query(tooMany, actor, maxActingPerAccount - 1)]),
    query(
      insert,
      ...[id, account, role, toText(created), toText(expires), by, actor, identity],
      ...[readOnly ? 1 : 0, reason],
    ),
  ]
}
