// Loads the webhook store on demand: a service without webhooks loads no code for them.

import type { SystemTables } from './system-tables.ts'
import type { WebhookStore } from './webhook-store.ts'

export interface WebhookStoreLoader {
  /** Whether other nodes may work on the same webhooks. */
  readonly isShared: boolean
  /** Whether a webhook is active. */
  hasActive(): Promise<boolean>
  open(): Promise<WebhookStore>
}

export function webhookStoreLoader(tables: SystemTables, isShared: boolean): WebhookStoreLoader {
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
    const { SqlWebhookStore } = await import('./sql-webhook-store.ts')
    const records = new SqlWebhookStore(tables)
    // A killed process leaves leases behind. Without other nodes they are released at once; else they must expire.
    if (!isShared) await records.release(null)
    return records
  }
}
