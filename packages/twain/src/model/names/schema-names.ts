// The names of the schema itself in GraphQL. A schema file may use them: then GraphQL has no such fields, and REST has the paths.

import type { Model } from '../model.ts'

export const schemaFields = { served: 'servedSchema', changes: 'schemaChanges' } as const
export const schemaTypes = {
  served: 'ServedSchema',
  type: 'ServedSchemaType',
  field: 'ServedSchemaField',
  rule: 'ServedSchemaRule',
  transition: 'ServedSchemaTransition',
  dependency: 'ServedSchemaDependency',
  file: 'ServedSchemaFile',
  pending: 'ServedSchemaPending',
  mistake: 'ServedSchemaMistake',
  use: 'ServedSchemaUse',
  changes: 'SchemaChanges',
  change: 'SchemaChange',
} as const

export function hasSchemaFields({ types, resources, views, abstracts, operations }: Model): boolean {
  const names: readonly string[] = Object.values(schemaFields)
  const collections = [...resources, ...views, ...abstracts]
  return (
    resources.length > 0 &&
    Object.values(schemaTypes).every((name) => !types.has(name)) &&
    collections.every(({ single, list }) => !names.includes(single) && !names.includes(list)) &&
    operations.every(({ name }) => !names.includes(name))
  )
}
