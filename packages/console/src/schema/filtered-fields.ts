// Which fields a filter of the API names.

import type { Schema } from './schema-data.ts'

/** The paths of all fields that a filter names, through references and lists too. */
export function filteredFields(schema: Pick<Schema, 'fieldsOf' | 'type'>, type: string, where: unknown): string[] {
  if (where === null || typeof where !== 'object') return []
  if (Array.isArray(where)) return where.flatMap((part) => filteredFields(schema, type, part))
  return Object.entries(where).flatMap(([word, value]) => {
    const field = schema.fieldsOf(type).find(({ name }) => name === word)
    // `and`, `or`, `not`, `some`, or the name of a member
    if (field === undefined) return filteredFields(schema, schema.type(word)?.name ?? type, value)
    return [`${type}.${word}`, ...(field.to === null ? [] : filteredFields(schema, field.to, value))]
  })
}
