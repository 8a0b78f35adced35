// Opens the stores of the system tables, which are the same on either database.

import { type HandlerPositions, logReaders } from './handler-positions.ts'
import { type IdempotencyRecords, SqlIdempotencyRecords } from './idempotency-records.ts'
import { keptWebhooks, type WebhookStoreLoader } from './open-webhook-store.ts'
import { SqlUsage } from './sql-usage-store.ts'
import type { OwnTables } from './system-tables.ts'
import type { UsageStore } from './usage-store.ts'

export interface SystemStores {
  readonly webhooks: WebhookStoreLoader
  /** How far custom code has handled the committed changes. */
  readonly handlerPositions: HandlerPositions
  /** Who used which parts of the schema. */
  readonly usage: UsageStore
  readonly idempotency: IdempotencyRecords
}

/** `isShared`: other nodes may work on the same tables. */
export function openSystemStores(tables: OwnTables, isShared: boolean): SystemStores {
  return {
    webhooks: keptWebhooks(tables, isShared),
    handlerPositions: logReaders(tables, isShared),
    usage: new SqlUsage(tables),
    idempotency: new SqlIdempotencyRecords(tables),
  }
}
