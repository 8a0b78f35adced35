// A cell as the text of a clipboard.

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
