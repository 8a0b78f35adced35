// A field that comes to a type which has rows already.

import type { StoredField } from '#model'
import { defaultValue } from '#plan/build'
import { encodeColumn, type SqlValue } from '../sql/encode.ts'

/** What rows that were there before the field get: its default; of a time that the server sets, the time of the change. */
export function valueOfOldRows(field: StoredField): SqlValue {
  if (field.auto !== null) return new Date().toISOString()
  return encodeColumn(defaultValue(field), field.type)
}
