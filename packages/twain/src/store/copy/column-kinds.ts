// The kind of a stored column: how each database declares it. A copy finds it by the field that the column was created for.

import { loadModel, type Model, SchemaMistakes } from '#model'
import { columnType } from '../postgres/scalar-columns.ts'
import { layOut } from '../tables/layout.ts'
import type { ServedSchema } from '../tables/refuse-breaking.ts'

export type ColumnKind = 'text' | 'json' | 'boolean' | 'integer' | 'bigint' | 'float'

/** The declared types on PostgreSQL, as `columnType` has them, and on SQLite. */
export const postgresTypes: Record<ColumnKind, string> = {
  text: 'text COLLATE "C"',
  json: 'json',
  boolean: 'boolean',
  integer: 'integer',
  bigint: 'bigint',
  float: 'double precision',
}
export const sqliteTypes: Record<ColumnKind, 'TEXT' | 'INTEGER' | 'REAL'> = {
  text: 'TEXT',
  json: 'TEXT',
  boolean: 'INTEGER',
  integer: 'INTEGER',
  bigint: 'INTEGER',
  float: 'REAL',
}

const kindByType = new Map(Object.entries(postgresTypes).map(([kind, type]) => [type, kind as ColumnKind]))

/** The kinds of the wanted columns, each called `table.column`. It goes back through the schemas only until it has them all:
 *  `twain dev` may have served thousands. A column is never used for a field of another type. */
export function columnKinds(schemas: readonly ServedSchema[], wanted: ReadonlySet<string>): Map<string, ColumnKind> {
  const missing = new Set(wanted)
  const kinds = new Map<string, ColumnKind>()
  for (const { sdl, names } of schemas) {
    if (missing.size === 0) break
    const model = modelOf(sdl)
    if (model === null) continue
    for (const [, { name: table, columns }] of layOut(model, names).layout.tables) {
      for (const [field, column] of columns) {
        const path = `${table}.${column.name}`
        if (missing.delete(path))
          kinds.set(path, field.kind === 'reference' ? 'text' : kindByType.get(columnType(field.type))!)
      }
    }
  }
  return kinds
}

/** Null for a schema that this Twain no longer accepts: no start can serve it again. */
function modelOf(sdl: string): Model | null {
  try {
    return loadModel(sdl, '')
  } catch (error) {
    if (error instanceof SchemaMistakes) return null
    throw error
  }
}
