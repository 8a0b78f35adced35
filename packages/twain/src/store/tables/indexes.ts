// The indexes that a schema needs.

import type { Index, Model, ReferenceField, StoredField } from '#model'
import { columnOf, type Layout, tableOf } from './layout.ts'

export interface IndexDefinition {
  table: string
  columns: string[]
  unique: boolean
  /** On PostgreSQL alone: the index method, and the condition of a partial index, as a name and as SQL. */
  using?: 'gin'
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
    for (const index of resource.indexes) wanted.push(...indexOf(index, table, layout))
  }
  for (const { name: table, left, right, rightType } of layout.links.values()) {
    const far = rightType === null ? [right] : [right, rightType]
    wanted.push({ table, columns: [left, ...far], unique: true }, { table, columns: [...far, left], unique: false })
  }
  return wanted
}

function indexOf({ unique, fields }: Index, table: string, layout: Layout): IndexDefinition[] {
  const columns = fields.flatMap((field) => (field.name === 'id' ? ['id'] : columnsOf(field, layout)))
  const plain: IndexDefinition = {
    table,
    columns: columns.includes('id') ? columns : [...columns, 'id'],
    unique: false,
  }
  return unique ? [{ table, columns, unique: true }, plain] : [plain]
}

function columnsOf(field: StoredField | ReferenceField, layout: Layout): string[] {
  const { name: column, type } = columnOf(layout, field)
  return type === null ? [column] : [column, type]
}

/** The name describes the index, so that the next start recognizes it. */
export function indexName({ table, columns, unique, only }: IndexDefinition): string {
  return `${table}(${columns.join(',')})${unique ? ' unique' : ''}${only === undefined ? '' : ` ${only.name}`}`
}
