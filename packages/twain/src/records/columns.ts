// What the columns of a file or a body mean: the field that each one fills.

import { type DetailCode, didYouMean } from '#base'
import type { Field, Resource, StoredType } from '#model'

/** By the name in the file: the field that it fills, or null to leave the column out. */
export type ColumnMap = ReadonlyMap<string, string | null>

/** Which columns rows of this type may have. */
export interface ColumnRules {
  of: Resource
  map: ColumnMap
  /** Why a column can't be read; null: it can. */
  mistake(name: string): ColumnMistake | null
}

export interface ColumnMistake {
  code: DetailCode
  message: string
}

/** Why no column of this name (`size.width`) fills a field; null: one does. */
export function columnMistake(name: string, of: Resource): ColumnMistake | null {
  const [first, ...inside] = name.split('.') as [string, ...string[]]
  const field = of.fields.get(first)
  if (field === undefined) {
    return { code: 'UNKNOWN', message: `"${first}" is not a field of ${of.name}.${didYouMean(first, columnNames(of))}` }
  }
  if (!isColumn(field)) {
    return {
      code: 'READONLY',
      message: `"${first}" is the other side of a reference: write the rows that refer to this one.`,
    }
  }
  if (inside.length === 0 || hasMember(field, inside)) return null
  return { code: 'UNKNOWN', message: `"${name}" is not a field of ${of.name}.` }
}

function columnNames({ fields }: Resource): string[] {
  return [...fields.values()].filter(isColumn).map(({ name }) => name)
}

/** The fields that a row itself stores, and the lists of links that it holds. */
function isColumn(field: Field): boolean {
  return field.kind === 'stored' || field.kind === 'reference' || field.kind === 'links'
}

function hasMember(field: Field, path: readonly string[]): boolean {
  let type: StoredType | undefined = field.kind === 'stored' ? field.type : undefined
  for (const name of path) {
    if (type?.kind !== 'value') return false
    type = type.value.fields.get(name)?.type
    if (type === undefined) return false
  }
  return true
}
