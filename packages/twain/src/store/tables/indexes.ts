// The indexes that a contract asks for.

import type { Index, Model, ReferenceField, StoredField } from '#model'
import { columnOf, type Layout, tableOf } from './layout.ts'

export interface IndexDefinition {
  table: string
  columns: string[]
  unique: boolean
  /** On PostgreSQL alone: another way to keep it, and the rows that stand in it, named and as SQL. */
  using?: 'gin'
  only?: { name: string; sql: string }
}

/** Every reference has one, for the way back; each ends with the id, so that it gives its rows in the order of a page. */
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

/** Says what it is, so that it is known again. */
export function indexName({ table, columns, unique, only }: IndexDefinition): string {
  return `${table}(${columns.join(',')})${unique ? ' unique' : ''}${only === undefined ? '' : ` ${only.name}`}`
}
