// Turns the records of a file into the inputs of rows.

import { isRecord, parseJson } from '#base'
import type { Field } from '#model'
import { type CsvSeparator, csvCells, separatorOf } from '../records/csv-cells.ts'
import { BadFile, type DataFormat, type FileRecord } from '../records/record.ts'
import { cellValue } from './cell-value.ts'
import { type ColumnMap, columnMistake, type ImportTarget } from './columns.ts'
import type { ImportRow, RowFailure } from './import-portion.ts'

export interface RowReader {
  /** Null: the record is no row. Throws BadFile if no row of the file can be read. */
  read(record: FileRecord): ImportRow | RowFailure | null
}

export function rowReader(format: DataFormat, target: ImportTarget, map: ColumnMap): RowReader {
  return format === 'csv' ? new CsvReader(target, map) : new JsonReader(target, map)
}

export function isBadRow(row: ImportRow | RowFailure): row is RowFailure {
  return 'problems' in row
}

function badRow(line: number, path: string, message: string): RowFailure {
  return { line, problems: [{ line, path, code: 'TYPE', message }] }
}

class JsonReader implements RowReader {
  readonly #target: ImportTarget
  readonly #map: ColumnMap

  constructor(target: ImportTarget, map: ColumnMap) {
    this.#target = target
    this.#map = map
  }

  read({ line, text }: FileRecord): ImportRow | RowFailure {
    const parsed = parseJson(text)
    if (!parsed.ok) return badRow(line, '', `This is not valid JSON: ${parsed.message}`)
    if (!isRecord(parsed.value)) return badRow(line, '', 'This is no object: {"field": value}.')
    const input: Record<string, unknown> = {}
    for (const [column, value] of Object.entries(parsed.value)) {
      const name = this.#map.has(column) ? this.#map.get(column)! : column
      if (name === null) continue
      const mistake = columnMistake(name, this.#target)
      if (mistake !== null) return badRow(line, column, mistake)
      input[name] = value
    }
    return { line, input }
  }
}

interface CsvColumnTarget {
  field: Field
  /** `['size', 'width']`. */
  path: readonly string[]
}

class CsvReader implements RowReader {
  readonly #target: ImportTarget
  readonly #map: ColumnMap
  #separator: CsvSeparator = ','
  /** Null before the header; a column that is left out is null. */
  #columns: (CsvColumnTarget | null)[] | null = null

  constructor(target: ImportTarget, map: ColumnMap) {
    this.#target = target
    this.#map = map
  }

  read(record: FileRecord): ImportRow | RowFailure | null {
    if (this.#columns !== null) return this.#readRow(record, this.#columns)
    this.#columns = this.#readHeader(record)
    return null
  }

  #readHeader({ line, text }: FileRecord): (CsvColumnTarget | null)[] {
    this.#separator = separatorOf(text)
    const names = csvCells(text, this.#separator).map((cell) => (cell ?? '').trim())
    const mistakes: string[] = []
    const columns = names.map((column) => {
      const name = this.#map.has(column) ? this.#map.get(column)! : column
      if (name === null) return null
      const mistake = name === '' ? 'A column has no name.' : columnMistake(name, this.#target)
      if (mistake !== null) mistakes.push(mistake)
      const path = name.split('.')
      return { field: this.#target.of.fields.get(path[0]!)!, path }
    })
    for (const mapped of this.#map.keys()) {
      if (!names.includes(mapped)) mistakes.push(`--map names the column "${mapped}", which the file does not have.`)
    }
    if (mistakes.length > 0) throw new BadFile(line, mistakes.join('\n'))
    return columns
  }

  #readRow({ line, text }: FileRecord, columns: readonly (CsvColumnTarget | null)[]): ImportRow | RowFailure {
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
      if (cell === null && (field.required || path.length > 1)) continue
      setAt(input, path, cell === null ? null : cellValue(field, path.slice(1), cell))
    }
    return { line, input }
  }
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
