// Rows as CSV (RFC 4180; docs/reference/rest.md, R57): a column for each leaf that the rows are read with, named by its way as in
// `fields`. Lists and JSON stand in their cell as JSON text. What a spreadsheet would take for a formula is left as it is.

import type { StoredType } from '#model'
import type { Selection, TypeSelection, ValueSelection } from '#plan'

export interface CsvColumn {
  /** `author.name`. */
  name: string
  path: readonly string[]
}

/** Over an interface or union, those of all its types. */
export function csvColumns(cases: readonly TypeSelection[]): CsvColumn[] {
  const columns = new Map<string, CsvColumn>()
  for (const { selections } of cases) for (const one of selections) addPick(one, [])
  return [...columns.values()]

  function add(path: readonly string[]): void {
    const name = path.join('.')
    if (!columns.has(name)) columns.set(name, { name, path })
  }

  function addPick(selection: Selection, way: readonly string[]): void {
    const path = [...way, selection.key]
    if (selection.kind === 'one')
      for (const { selections: inner } of selection.types) for (const one of inner) addPick(one, path)
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

function csvRecord(values: readonly unknown[]): string {
  return `${values.map(cell).join(',')}\r\n`
}

/** Nothing for null and for what is not there; two quotes for a text that is empty. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
