// Between cells and the text of a clipboard: lines with tabs, as spreadsheets write them.

import type { TypeModel } from '../api/model.ts'
import { type Row, referredBy } from '../api/row.ts'
import { draftOf } from '../edit/drafts.ts'
import { type Column, valueAt } from './rows-query.ts'

/** The cell as a spreadsheet takes it; of a reference the label. */
export function printCell(type: TypeModel, row: Row, { path, field }: Column): string {
  const draft = draftOf(type.path, row.id)
  if (draft !== undefined && Object.hasOwn(draft.changes, path))
    return plainText(draft.labels[path] ?? draft.changes[path])
  const value = valueAt(row, path)
  return plainText(field.kind === 'reference' ? (referredBy(field, value)?.label ?? null) : value)
}

function plainText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The cells of a pasted text. A cell with tabs, line breaks or quotes stands in quotes, with its own doubled. */
export function parseGridText(text: string): string[][] {
  const rows: string[][] = [[]]
  const cell = /(?:"((?:[^"]|"")*)"(?=[\t\r\n]|$)|([^\t\r\n]*))(\t|\r\n|\n|\r|$)/y
  while (cell.lastIndex <= text.length) {
    const [, quoted, plain = '', end] = cell.exec(text) ?? [null, undefined, '', '']
    rows.at(-1)!.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === '') break
    if (end !== '\t') rows.push([])
  }
  const last = rows.at(-1)!
  if (rows.length > 1 && last.length === 1 && last[0] === '') rows.pop() // a line break ends the text
  return rows
}
