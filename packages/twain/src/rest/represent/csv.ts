// Rows as CSV (RFC 4180; docs/reference/rest.md, R57): a column for each selected leaf, named by its path as in `fields`. Lists
// and JSON are JSON text in their cell. Text that a spreadsheet reads as a formula is not changed.

import { csvRecord } from '#base'
import type { StoredType } from '#model'
import type { Selection, TypeSelection, ValueSelection } from '#plan'

export interface CsvColumn {
  /** `author.name`. */
  name: string
  path: readonly string[]
}

/** For an interface or union: the columns of all member types. */
export function csvColumns(types: readonly TypeSelection[]): CsvColumn[] {
  const columns = new Map<string, CsvColumn>()
  for (const { selections } of types) for (const one of selections) addSelection(one, [])
  return [...columns.values()]

  function add(path: readonly string[]): void {
    const name = path.join('.')
    if (!columns.has(name)) columns.set(name, { name, path })
  }

  function addSelection(selection: Selection, parent: readonly string[]): void {
    const path = [...parent, selection.key]
    if (selection.kind === 'one')
      for (const { selections: inner } of selection.types) for (const one of inner) addSelection(one, path)
    else if (selection.kind === 'value') addValue(selection.field.type, selection.selections, path)
    else add(path)
  }

  function addValue(type: StoredType, selection: readonly ValueSelection[] | null, path: readonly string[]): void {
    if (type.kind !== 'value' || selection === null) {
      add(path)
      return
    }
    for (const one of selection) {
      const inner = [...path, one.key]
      if (one.kind === 'constant') add(inner)
      else addValue(one.field.type, one.selections, inner)
    }
  }
}

export function csvHeader(columns: readonly CsvColumn[]): string {
  return csvRecord(columns.map(({ name }) => name))
}

export function csvRow(row: unknown, columns: readonly CsvColumn[]): string {
  return csvRecord(columns.map(({ path }) => path.reduce(memberOf, row)))
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined
}
