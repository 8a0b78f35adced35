// Whether a field of a row can be changed, and whether a cell of a table can be.

import { type FieldModel, isListType, type TypeModel } from '../api/model.ts'
import type { Row } from '../api/row.ts'
import type { Column } from '../rows/rows-query.ts'
import { texts } from '../texts.ts'
import { choicesOf, isJsonText } from './typed-text.ts'

/** Why the field can't be changed; null: it can, as far as the model tells. */
export function lockOf(type: TypeModel, field: FieldModel, row: Row): string | null {
  if (row[field.name] === undefined) return texts.rules
  if (field.update !== 'none') return null
  if (type.update === 'none') return texts.noRight
  return field.create === 'none' ? texts.setByServer : texts.fixed
}

/** A text of several lines, JSON, a file and a state have no room in a cell: their row is opened instead. */
export function isCellEditable(type: TypeModel, { path, field }: Column, row: Row): boolean {
  if (type.kind === 'abstract' || type.kind === 'view' || path !== field.name || field.name === 'id') return false
  if (field.kind !== 'value' && field.kind !== 'reference') return false
  if (field.transitions !== undefined || isListType(field.type) || field.type === 'File') return false
  if (lockOf(type, field, row) !== null) return false
  const value = row[field.name]
  if (field.kind === 'reference') return true
  return !needsRoom(field, value)
}

function needsRoom(field: FieldModel, value: unknown): boolean {
  if (typeof value === 'string' && field.type === 'String') return value.includes('\n') || value.length > 120
  return isJsonText(field) && choicesOf(field) === null // JSON may be shortened, too
}
