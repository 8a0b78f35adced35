// The names of the schema itself in GraphQL. A schema file may use them: then GraphQL has no such fields, and REST has the paths.

import type { Model } from '../model.ts'
import { areNamesFree } from './free-names.ts'

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

export function hasSchemaFields(model: Model): boolean {
  return areNamesFree(model, Object.values(schemaFields), Object.values(schemaTypes))
}
