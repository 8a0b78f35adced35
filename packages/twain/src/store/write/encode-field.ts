// A field's canonical value as its columns keep it; a reference is found first.

import type { Problem } from '#base'
import type { ReferenceField, Resource, StoredField } from '#model'
import type { SqlValue } from '../compile/encode.ts'
import { resolve } from './references.ts'
import type { Writing } from './writing.ts'

export function encodeField(
  resource: Resource,
  field: StoredField | ReferenceField,
  value: unknown,
  writing: Writing,
  problems: Problem[],
): [string, SqlValue][] {
  const table = writing.context.table(resource)
  if (field.kind === 'stored' || value === null) return table.encode(field, value)
  return table.encode(field, resolve(field.to, value as string, field.name, writing, problems))
}
