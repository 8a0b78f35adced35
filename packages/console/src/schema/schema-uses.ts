// Who uses each field, loaded once for a visit of the schema pages.

import { signal } from '@preact/signals'
import { loadUses, type SchemaUses } from './schema-data.ts'

/** Null: not yet loaded, or not available. */
export const schemaUses = signal<SchemaUses | null>(null)

export async function refreshUses(): Promise<void> {
  schemaUses.value = await loadUses()
}
