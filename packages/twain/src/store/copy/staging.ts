// What a staging copy leaves out. It stands beside its original with the same rows, and must never act for it:
//
// 1. No credential of the one is valid at the other. So the copy has no secrets: its first start generates signing keys and an
//    audience of its own. It has no sessions, tickets, codes, waiting sign-ups, invitations and API keys either. People sign in with their passwords.
// 2. It sends nothing that the original has to send. So it has no deliveries, and no positions of handlers: those begin at the
//    end of the log. Webhooks are off. A webhook that is switched on there begins at the end of the log, and signs with a
//    secret that the original's receiver does not know.
// 3. A request that the original has answered is new to the copy. So it has no idempotency records.
// 4. Its change log is another one: the log gets a new id, so that cursors of the original are refused.

import { randomBytes } from '#base/time'
import type { LogPosition } from './ends.ts'
import type { Cell, RowBatch } from './row-batch.ts'
import type { StoredTable } from './stored-tables.ts'

/** `move`: the copy takes the place of the original, with everything as it is. */
export type CopyPurpose = 'move' | 'staging'

/** How a staging copy takes a system table: as it is, not at all, or with other values in some columns. */
type StagingRule = 'copy' | 'leave' | (() => Record<string, Cell>)

/** A test compares the names with the tables that a start creates. */
export const stagingRules: Readonly<Record<string, StagingRule>> = {
  twain_schema: 'copy',
  twain_change: 'copy',
  twain_epoch: 'copy',
  twain_tombstone: 'copy',
  twain_trash: 'copy',
  twain_history: 'copy',
  twain_history_type: 'copy',
  twain_file: 'copy',
  twain_login: 'copy',
  twain_identity: 'copy',
  twain_usage: 'copy',
  twain_deprecated: 'copy',
  twain_secret: 'leave',
  twain_token: 'leave',
  twain_ticket: 'leave',
  twain_sign_in_code: 'leave',
  twain_key: 'leave',
  twain_attempt: 'leave',
  twain_code: 'leave',
  twain_code_login: 'leave',
  twain_login_change: 'leave',
  twain_sign_up: 'leave',
  twain_invitation: 'leave',
  twain_mail: 'leave',
  twain_idempotency_key: 'leave',
  twain_job: 'leave',
  twain_schedule: 'leave',
  twain_handler_position: 'leave',
  twain_image: 'leave',
  twain_import: 'copy',
  twain_limit: 'copy',
  twain_node: 'leave',
  twain_data_migration: 'copy',
  twain_unfilled: 'copy',
  twain_webhook: () => ({
    active: 0,
    paused: 'This is a staging copy. Switch the webhook on if its receiver is one for tests.',
    secret: `whsec_${randomBytes(32).toString('base64')}`,
    cursor: ':0', // of no epoch, so that it begins at the end of the log
    feeder: null,
    feeding: null,
  }),
}

export function tablesFor(purpose: CopyPurpose, tables: readonly StoredTable[]): readonly StoredTable[] {
  const kept = tables.filter(({ name }) => name !== 'twain_image') // variants of images are made again
  if (purpose === 'move') return kept
  return kept.filter(({ name, kind }) => kind !== 'system' || (stagingRules[name] ?? 'leave') !== 'leave')
}

export async function* rowsFor(
  purpose: CopyPurpose,
  { name, kind, columns }: StoredTable,
  batches: AsyncIterable<RowBatch>,
): AsyncGenerator<RowBatch> {
  const rule = purpose === 'staging' && kind === 'system' ? stagingRules[name] : 'copy'
  for await (const batch of batches) {
    yield typeof rule !== 'function'
      ? batch
      : batch.map((row) => {
          const changed = rule()
          return row.map((cell, index) => (columns[index]!.name in changed ? changed[columns[index]!.name]! : cell))
        })
  }
}

export function logFor(purpose: CopyPurpose, log: LogPosition): LogPosition {
  return purpose === 'move' ? log : { ...log, id: randomBytes(16).toString('hex') }
}
