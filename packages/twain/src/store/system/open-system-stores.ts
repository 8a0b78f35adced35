// Opens the stores of the system tables, which are the same on either database.

import type { Accounts } from './accounts/addressed-accounts.ts'
import { type AttemptStore, SqlAttemptStore } from './accounts/attempt-store.ts'
import type { CodeStore } from './accounts/code-store.ts'
import { SqlCodeStore } from './accounts/sql-code-store.ts'
import { type ImageRecords, openImageRecords } from './files/image-records.ts'
import { type HandlerPositions, openHandlerPositions } from './handler-positions.ts'
import { type IdempotencyRecords, SqlIdempotencyRecords } from './idempotency-records.ts'
import { type ImportPositions, openImportPositions } from './import-positions.ts'
import { JobQueries } from './jobs/job-queries.ts'
import { SqlJobStore } from './jobs/sql-job-store.ts'
import { type NodeStore, openNodeStore } from './node-store.ts'
import { openServedLimits, type ServedLimits } from './served-limits.ts'
import type { SystemTables } from './system-tables.ts'
import { SqlUsageStore, type UsageStore } from './usage/usage-store.ts'
import type { WebhookStore } from './webhooks/webhook-store.ts'

export interface SystemStores {
  readonly webhooks: WebhookStoreLoader
  /** How far custom code has handled the committed changes. */
  readonly handlerPositions: HandlerPositions
  /** Who used which parts of the schema. */
  readonly usage: UsageStore
  readonly idempotency: IdempotencyRecords
  readonly servedLimits: ServedLimits
  /** The nodes that serve from this database. */
  readonly nodes: NodeStore
  /** Variants of images. */
  readonly images: ImageRecords
  /** How far imports have come. */
  readonly imports: ImportPositions
  /** The queue. */
  readonly jobs: SqlJobStore
  /** Failed sign-ins. */
  readonly attempts: AttemptStore
  /** Null: the logins of the schema are no addresses. */
  readonly codes: CodeStore | null
}

/** `isShared`: other nodes may work on the same tables. `accounts` is null without an account type. `clock` replaces the
 *  database's clock in the queue. */
export function openSystemStores(
  tables: SystemTables,
  isShared: boolean,
  accounts: Accounts | null,
  clock: (() => number) | null = null,
): SystemStores {
  const jobs = new SqlJobStore(tables, new JobQueries(tables.dialect, clock), isShared)
  return {
    jobs,
    attempts: new SqlAttemptStore(tables),
    codes: SqlCodeStore.open(tables, accounts, jobs),
    webhooks: webhookStoreLoader(tables, jobs),
    handlerPositions: openHandlerPositions(tables, isShared),
    usage: new SqlUsageStore(tables),
    idempotency: new SqlIdempotencyRecords(tables),
    servedLimits: openServedLimits(tables),
    nodes: openNodeStore(tables, isShared),
    images: openImageRecords(tables),
    imports: openImportPositions(tables),
  }
}

/** Loads the webhook store on demand: a service without webhooks loads no code for them. */
export interface WebhookStoreLoader {
  /** Whether other nodes may work on the same webhooks. */
  readonly isShared: boolean
  /** Whether a webhook is active. */
  hasActive(): Promise<boolean>
  open(): Promise<WebhookStore>
}

function webhookStoreLoader(tables: SystemTables, jobs: SqlJobStore): WebhookStoreLoader {
  const { isShared } = jobs
  let opened: Promise<WebhookStore> | null = null
  return {
    isShared,
    async hasActive() {
      const found = await tables.read({ sql: 'SELECT 1 FROM twain_webhook WHERE active = 1 LIMIT 1', parameters: [] })
      return found.length > 0
    },
    open() {
      opened ??= load()
      return opened
    },
  }

  async function load(): Promise<WebhookStore> {
    const { SqlWebhookStore } = await import('./webhooks/sql-webhook-store.ts')
    const records = new SqlWebhookStore(tables, jobs)
    // A killed process leaves leases behind. Without other nodes they are released at once; else they must expire.
    if (!isShared) await records.release(null)
    return records
  }
}
