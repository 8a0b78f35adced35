// The indexes that a schema needs.

import type { Index, Model, ReferenceField, Resource, StoredField } from '#model'
import { columnOf, isLive, type Layout, tableOf } from './layout.ts'

export interface IndexDefinition {
  table: string
  columns: string[]
  unique: boolean
  /** On PostgreSQL alone: the index method. */
  using?: 'gin'
  /** The condition of a partial index, as a name and as SQL. */
  only?: { name: string; sql: string }
}

/** Every reference has an index, for its inverse. Each index ends with the id, so it returns rows in the order of a page. */
export function requiredIndexes(model: Model, layout: Layout): IndexDefinition[] {
  const wanted: IndexDefinition[] = []
  for (const resource of model.resources) {
    const table = tableOf(layout, resource).name
    for (const field of resource.fields.values()) {
      if (field.kind !== 'reference') continue
      wanted.push({ table, columns: [...columnsOf(field, layout), 'id'], unique: false })
    }
    for (const index of resource.indexes) wanted.push(...indexOf(index, resource, layout))
  }
  for (const { name: table, left, right, rightType } of layout.links.values()) {
    const far = rightType === null ? [right] : [right, rightType]
    wanted.push({ table, columns: [left, ...far], unique: true }, { table, columns: [...far, left], unique: false })
  }
  return wanted
}

/** The unique values of hidden rows are free. */
function indexOf({ unique, fields }: Index, resource: Resource, layout: Layout): IndexDefinition[] {
  const { name: table, hides } = tableOf(layout, resource)
  const columns = fields.flatMap((field) => (field.name === 'id' ? ['id'] : columnsOf(field, layout)))
  // The keys of texts are the first to be sorted by.
  const sorted = fields.flatMap((field) => (field.name === 'id' ? ['id'] : sortedColumns(field, layout)))
  const plain: IndexDefinition = {
    table,
    columns: columns.includes('id') ? sorted : [...sorted, 'id'],
    unique: false,
  }
  if (!unique) return [plain]
  const single: IndexDefinition = { table, columns, unique: true }
  return [hides === true ? { ...single, only: { name: 'live', sql: isLive } } : single, plain]
}

function columnsOf(field: StoredField | ReferenceField, layout: Layout): string[] {
  const { name: column, type } = columnOf(layout, field)
  return type === null ? [column] : [column, type]
}

function sortedColumns(field: StoredField | ReferenceField, layout: Layout): string[] {
  const key = field.kind === 'stored' ? tableOf(layout, field.owner).keys?.get(field) : undefined
  return key === undefined ? columnsOf(field, layout) : [key, ...columnsOf(field, layout)]
}

/** The name describes the index, so that the next start recognizes it. */
export function indexName({ table, columns, unique, only }: IndexDefinition): string {
  return `${table}(${columns.join(',')})${unique ? ' unique' : ''}${only === undefined ? '' : ` ${only.name}`}`
}
