// Rows as CSV (RFC 4180; docs/reference/rest.md, R57): a column for each leaf that the rows are read with, named by its way as in
// `fields`. Lists and JSON stand in their cell as JSON text. What a spreadsheet would take for a formula is left as it is.

import type { StoredType } from '#model'
import type { Case, Pick, ValuePick } from '#plan'

export interface Column {
  /** `author.name`. */
  name: string
  path: readonly string[]
}

/** Over an interface or union, those of all its types. */
export function columnsOf(cases: readonly Case[]): Column[] {
  const columns = new Map<string, Column>()
  for (const { pick } of cases) for (const one of pick) addPick(one, [])
  return [...columns.values()]

  function add(path: readonly string[]): void {
    const name = path.join('.')
    if (!columns.has(name)) columns.set(name, { name, path })
  }

  function addPick(pick: Pick, way: readonly string[]): void {
    const path = [...way, pick.key]
    if (pick.kind === 'one') for (const { pick: inner } of pick.cases) for (const one of inner) addPick(one, path)
    else if (pick.kind === 'value') addValue(pick.field.type, pick.pick, path)
    else add(path)
  }

  function addValue(type: StoredType, pick: readonly ValuePick[] | null, path: readonly string[]): void {
    if (type.kind !== 'value' || pick === null) {
      add(path)
      return
    }
    for (const one of pick) {
      const inner = [...path, one.key]
      if (one.kind === 'constant') add(inner)
      else addValue(one.field.type, one.pick, inner)
    }
  }
}

export function headerLine(columns: readonly Column[]): string {
  return line(columns.map(({ name }) => name))
}

export function rowLine(row: unknown, columns: readonly Column[]): string {
  return line(columns.map(({ path }) => path.reduce(memberOf, row)))
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined
}

function line(values: readonly unknown[]): string {
  return `${values.map(cell).join(',')}\r\n`
}

/** Nothing for null and for what is not there; two quotes for a text that is empty. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
