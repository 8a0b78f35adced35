// What a store keeps beside the rows in tables of our own, the same on either database.

import type { Store } from '../contract.ts'
import { OnceRecords } from '../write/idempotency-records.ts'
import { logReaders } from './handler-positions.ts'
import { keptWebhooks } from './open-webhook-store.ts'
import { SqlUsage } from './sql-usage-store.ts'
import type { OwnTables } from './system-tables.ts'

/** `isShared`: other nodes may work on the same. */
export function openRecords(
  tables: OwnTables,
  isShared: boolean,
): Pick<Store, 'webhooks' | 'handlerPositions' | 'usage' | 'idempotency'> {
  return {
    webhooks: keptWebhooks(tables, isShared),
    handlerPositions: logReaders(tables, isShared),
    usage: new SqlUsage(tables),
    idempotency: new OnceRecords(tables),
  }
}
