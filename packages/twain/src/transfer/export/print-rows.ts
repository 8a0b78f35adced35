// Rows as the text of a file. An import reads it back without a loss.

import { csvRecord } from '#base'
import type { Resource } from '#model'
import type { DataFormat } from '#records'
import { type ExportedField, exportedFields } from '../exported-fields.ts'

export interface RowPrinter {
  /** Before the first row. */
  begin(): string
  rows(rows: readonly Record<string, unknown>[]): string
  /** Behind the last row. */
  end(): string
}

export function rowPrinter(format: DataFormat, of: Resource): RowPrinter {
  switch (format) {
    case 'csv':
      return csvPrinter(exportedFields(of))
    case 'ndjson':
      return { begin: () => '', rows: (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''), end: () => '' }
    case 'json':
      return jsonPrinter()
  }
}

function jsonPrinter(): RowPrinter {
  let hasRows = false
  const line = (row: object) => {
    const text = `${hasRows ? ',' : ''}\n${JSON.stringify(row)}`
    hasRows = true
    return text
  }
  return { begin: () => '[', rows: (rows) => rows.map(line).join(''), end: () => '\n]\n' }
}

function csvPrinter(fields: readonly ExportedField[]): RowPrinter {
  return {
    begin: () => csvRecord(fields.map(({ name }) => name)),
    rows: (rows) => rows.map((row) => csvRecord(fields.map((field) => cellOf(field, row[field.name])))).join(''),
    end: () => '',
  }
}

/** JSON of any kind is JSON text, also a text: otherwise "1" and 1 would look the same. */
function cellOf(field: ExportedField, value: unknown): unknown {
  if (value === null || value === undefined || field.kind !== 'stored') return value
  const { type } = field
  const isJson = type.kind === 'custom' || (type.kind === 'scalar' && type.name === 'JSON')
  return isJson ? JSON.stringify(value) : value
}
