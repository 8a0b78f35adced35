// Opens the stores of the system tables, which are the same on either database.

import { type HandlerPositions, openHandlerPositions } from './handler-positions.ts'
import { type IdempotencyRecords, SqlIdempotencyRecords } from './idempotency-records.ts'
import { SqlUsageStore } from './sql-usage-store.ts'
import type { SystemTables } from './system-tables.ts'
import type { UsageStore } from './usage-store.ts'
import { type WebhookStoreLoader, webhookStoreLoader } from './webhook-store-loader.ts'

export interface SystemStores {
  readonly webhooks: WebhookStoreLoader
  /** How far custom code has handled the committed changes. */
  readonly handlerPositions: HandlerPositions
  /** Who used which parts of the schema. */
  readonly usage: UsageStore
  readonly idempotency: IdempotencyRecords
}

/** `isShared`: other nodes may work on the same tables. */
export function openSystemStores(tables: SystemTables, isShared: boolean): SystemStores {
  return {
    webhooks: webhookStoreLoader(tables, isShared),
    handlerPositions: openHandlerPositions(tables, isShared),
    usage: new SqlUsageStore(tables),
    idempotency: new SqlIdempotencyRecords(tables),
  }
}
