// Turns the records of a file or a body into the inputs of rows: one mapping for `twain import` and for REST.

import { type DetailCode, isRecord, parseJson } from '#base'
import type { Field } from '#model'
import { cellValue } from './cell-value.ts'
import type { ColumnMistake, ColumnRules } from './columns.ts'
import { type CsvSeparator, csvCells, separatorOf } from './csv-cells.ts'
import type { InputRow, RowFailure } from './input-row.ts'
import { BadFile, type DataFormat, type FileRecord } from './record.ts'

/** The header of a CSV file has columns that can't be read. */
export class BadHeader extends BadFile {
  readonly mistakes: readonly (ColumnMistake & { column: string })[]

  constructor(line: number, mistakes: readonly (ColumnMistake & { column: string })[]) {
    super(line, mistakes.map(({ message }) => message).join('\n'))
    this.mistakes = mistakes
  }
}

export interface RowReader {
  /** Null: the record is no row. Throws BadHeader if no row of the file can be read. */
  read(record: FileRecord): InputRow | RowFailure | null
}

export function rowReader(format: DataFormat, columns: ColumnRules): RowReader {
  return format === 'csv' ? new CsvReader(columns) : new JsonReader(columns)
}

function badRow(line: number, path: string, message: string, code: DetailCode = 'TYPE'): RowFailure {
  return { line, problems: [{ line, path, code, message }] }
}

class JsonReader implements RowReader {
  readonly #rules: ColumnRules

  constructor(rules: ColumnRules) {
    this.#rules = rules
  }

  read({ line, text }: FileRecord): InputRow | RowFailure {
    const parsed = parseJson(text)
    if (!parsed.ok) return badRow(line, '', `This is not valid JSON: ${parsed.message}`)
    if (!isRecord(parsed.value)) return badRow(line, '', 'This is no object: {"field": value}.')
    const members: [name: string, value: unknown][] = []
    for (const [column, value] of Object.entries(parsed.value)) {
      const { map } = this.#rules
      const name = map.has(column) ? map.get(column)! : column
      if (name === null) continue
      const mistake = this.#rules.mistake(name)
      if (mistake !== null) return badRow(line, column, mistake.message, mistake.code)
      members.push([name, value])
    }
    // fromEntries defines each member, so that one called `__proto__` is an unknown field as any other.
    return { line, input: Object.fromEntries(members) }
  }
}

interface CsvColumnTarget {
  /** Undefined: the password of an account. */
  field: Field | undefined
  /** `['size', 'width']`. */
  path: readonly string[]
}

class CsvReader implements RowReader {
  readonly #rules: ColumnRules
  #separator: CsvSeparator = ','
  /** Null before the header; a column that is left out is null. */
  #columns: (CsvColumnTarget | null)[] | null = null

  constructor(rules: ColumnRules) {
    this.#rules = rules
  }

  read(record: FileRecord): InputRow | RowFailure | null {
    if (this.#columns !== null) return this.#readRow(record, this.#columns)
    this.#columns = this.#readHeader(record)
    return null
  }

  #readHeader({ line, text }: FileRecord): (CsvColumnTarget | null)[] {
    this.#separator = separatorOf(text)
    const names = csvCells(text, this.#separator).map((cell) => (cell ?? '').trim())
    const mistakes: (ColumnMistake & { column: string })[] = []
    const { map, of } = this.#rules
    const columns = names.map((column, index) => {
      const name = map.has(column) ? map.get(column)! : column
      if (name === null) return null
      const mistake = name === '' ? unnamed : names.indexOf(column) < index ? twice(column) : this.#rules.mistake(name)
      if (mistake !== null) mistakes.push({ column, ...mistake })
      const path = name.split('.')
      return { field: of.fields.get(path[0]!), path }
    })
    for (const mapped of map.keys()) {
      if (names.includes(mapped)) continue
      const message = `--map names the column "${mapped}", which the file does not have.`
      mistakes.push({ column: mapped, code: 'UNKNOWN', message })
    }
    if (mistakes.length > 0) throw new BadHeader(line, mistakes)
    return columns
  }

  #readRow({ line, text }: FileRecord, columns: readonly (CsvColumnTarget | null)[]): InputRow | RowFailure {
    const cells = csvCells(text, this.#separator)
    if (cells.length !== columns.length) {
      return badRow(line, '', `This record has ${cells.length} cells, and the header has ${columns.length}.`)
    }
    const input: Record<string, unknown> = {}
    for (const [index, column] of columns.entries()) {
      if (column === null) continue
      const { field, path } = column
      const cell = cells[index]!
      // Null would not be valid there, and the field may have a default.
      if (cell === null && (field === undefined || field.required || path.length > 1)) continue
      setAt(input, path, cell === null ? null : cellValue(field, path.slice(1), cell))
    }
    return { line, input }
  }
}

const unnamed: ColumnMistake = { code: 'UNKNOWN', message: 'A column has no name.' }

function twice(column: string): ColumnMistake {
  return { code: 'UNKNOWN', message: `The header has "${column}" twice.` }
}

function setAt(input: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name, ...inside] = path as [string, ...string[]]
  if (inside.length === 0) input[name] = value
  else {
    const inner = isRecord(input[name]) ? input[name] : {}
    input[name] = inner
    setAt(inner as Record<string, unknown>, inside, value)
  }
}
