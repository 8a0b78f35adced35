// A field's canonical value as its columns keep it; a reference is found first.

import type { Problem } from '#base'
import type { ReferenceField, Resource, StoredField } from '#model'
import type { SqlValue } from '../../compile/encode.ts'
import { resolve } from './references.ts'
import type { WriterContext } from './writer-context.ts'

export function encodeField(
  resource: Resource,
  field: StoredField | ReferenceField,
  value: unknown,
  context: WriterContext,
  problems: Problem[],
): [string, SqlValue][] {
  const table = context.table(resource)
  if (field.kind === 'stored' || value === null) return table.encode(field, value)
  return table.encode(field, resolve(field.to, value as string, field.name, context, problems))
}
