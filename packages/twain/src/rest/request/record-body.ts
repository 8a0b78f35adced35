// The rows of a body that is NDJSON or CSV (docs/reference/rest.md, R69). The same parser and mapping of columns as in
// `twain import`. Mistakes name the line of the body, counted from 1.

import { ApiError, type Problem, validationError } from '#base'
import { type HttpRequest, readContentType } from '#base/http'
import { isOwned, type Resource } from '#model'
import {
  BadFile,
  BadHeader,
  type ColumnRules,
  columnMistake,
  type DataFormat,
  isBadRow,
  type RowReader,
  rowReader,
  splitRecords,
} from '#records'

export type RecordFormat = Exclude<DataFormat, 'json'>

export const recordTypes: Readonly<Record<string, RecordFormat>> = {
  'application/x-ndjson': 'ndjson',
  'text/csv': 'csv',
}

export function isRecordBody(contentType: string | undefined): boolean {
  return Object.hasOwn(recordTypes, readContentType(contentType).type)
}

/** The rows that could be read, and the mistakes of the others. */
export interface RecordBody {
  inputs: unknown[]
  /** The line of each input, as a text. */
  places: string[]
  problems: Problem[]
  /** How many rows the body has, with those that could not be read. */
  count: number
}

/** `account`: the account type, whose rows have a column for the password. */
export async function readRecords(
  request: HttpRequest,
  format: RecordFormat,
  of: Resource,
  account: Resource | null,
): Promise<RecordBody> {
  const body: RecordBody = { inputs: [], places: [], problems: [], count: 0 }
  const reader = rowReader(format, bodyColumns(format, of, account))
  try {
    for await (const records of splitRecords([await request.body()], format)) {
      for (const record of records) addRow(reader.read(record))
    }
  } catch (error) {
    throw error instanceof BadFile ? unreadableBody(error, format) : error
  }
  return body

  function addRow(row: ReturnType<RowReader['read']>): void {
    if (row === null) return
    body.count++
    if (isBadRow(row)) body.problems.push(...row.problems.map(atLine))
    else {
      body.inputs.push(row.input)
      body.places.push(String(row.line))
    }
  }
}

function atLine({ line, path, code, message }: Problem & { line: number }): Problem {
  return { path: path === '' ? String(line) : `${line}.${path}`, code, message }
}

export function unreadableBody(error: BadFile, format: DataFormat): ApiError {
  if (error instanceof BadHeader) {
    return validationError(
      error.mistakes.map(({ column, ...mistake }) => atLine({ line: error.line, path: column, ...mistake })),
    )
  }
  return new ApiError('BAD_REQUEST', `The body is not valid ${formatNames[format]}: ${error.message}`)
}

const formatNames: Record<DataFormat, string> = { csv: 'CSV', ndjson: 'NDJSON', json: 'JSON' }

/** Which members the rows of a body may have. `account`: the account type. */
export function bodyColumns(format: DataFormat, of: Resource, account: Resource | null): ColumnRules {
  return format === 'csv' ? csvColumns(of, of === account) : anyMember(of)
}

/** The check of an input knows what its members may be. */
function anyMember(of: Resource): ColumnRules {
  return { of, map: noMap, mistake: () => null }
}

/** The mistakes of a column are those of every row: the header reports them once. */
function csvColumns(of: Resource, isAccount: boolean): ColumnRules {
  return { of, map: noMap, mistake: (name) => createdMistake(name, of, isAccount) }
}

const noMap: ReadonlyMap<string, string | null> = new Map()

function createdMistake(name: string, of: Resource, isAccount: boolean): ReturnType<ColumnRules['mistake']> {
  if (isAccount && name === 'password') return null
  const field = of.fields.get(name)
  if (field !== undefined && isOwned(field)) return null // its cells have rows, as JSON
  const mistake = columnMistake(name, of)
  if (mistake !== null || field?.kind !== 'stored') return mistake
  if (name === 'id') return { code: 'READONLY', message: 'The server generates ids. Leave the column out.' }
  return field.auto === null ? null : { code: 'READONLY', message: 'The server sets this field. Leave the column out.' }
}
