// What a store keeps beside the rows in tables of our own, the same on either database.

import type { Store } from './contract.ts'
import { logReaders } from './log-readers.ts'
import { keptWebhooks } from './open-webhooks.ts'
import type { OwnTables } from './own-tables.ts'
import { SqlUsage } from './sql-usage.ts'
import { OnceRecords } from './write/once-records.ts'

/** `isShared`: other nodes may work on the same. */
export function openRecords(
  tables: OwnTables,
  isShared: boolean,
): Pick<Store, 'webhooks' | 'readers' | 'usage' | 'once'> {
  return {
    webhooks: keptWebhooks(tables, isShared),
    readers: logReaders(tables, isShared),
    usage: new SqlUsage(tables),
    once: new OnceRecords(tables),
  }
}
