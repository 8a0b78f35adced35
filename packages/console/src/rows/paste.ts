// Puts a pasted text into the cells from one place on, as changes that are not saved yet. A reference is found by its id or label.

import { type TypeModel, titleOf } from '../api/model.ts'
import type { Row } from '../api/row.ts'
import { isCellEditable } from '../edit/cell-lock.ts'
import { setField, setUnparsed, targetOf } from '../edit/drafts.ts'
import { findReferred } from '../edit/find-referred.ts'
import { parseCellText } from '../edit/typed-text.ts'
import { writtenValue } from '../edit/written-value.ts'
import { parseTableText } from '../import/table-text.ts'
import { texts } from '../texts.ts'
import type { GridPlace } from './grid-focus.ts'
import type { Column } from './rows-query.ts'

/** Returns a sentence for each thing that was left out. */
export async function pasteInto(
  type: TypeModel,
  rows: readonly Row[],
  columns: readonly Column[],
  text: string,
  at: GridPlace,
): Promise<string[]> {
  const lines = parseTableText(text, '\t').map(({ cells }) => cells)
  const problems = new Set<string>()
  const tooMany = at.row + lines.length - rows.length
  if (tooMany > 0) problems.add(texts.pasteRows(tooMany))
  const width = Math.max(...lines.map((line) => line.length))
  if (at.column + width > columns.length) problems.add(texts.pasteColumns(at.column + width - columns.length))
  const pasted = columns.slice(at.column, at.column + width)
  const found = await Promise.all(
    pasted.map(({ field }, index) =>
      findReferred(
        field,
        lines.flatMap((line) => line[index] ?? []),
      ),
    ),
  )
  for (const [number, line] of lines.entries()) {
    const row = rows[at.row + number]
    if (row === undefined) break
    for (const [index, column] of pasted.entries()) {
      const cell = line[index]
      if (cell === undefined) continue
      const { field } = column
      if (!isCellEditable(type, column, row)) {
        problems.add(texts.pasteLocked(titleOf(column.path)))
        continue
      }
      const target = targetOf(type, row)
      const before = writtenValue(field, row[field.name])
      if (field.kind === 'reference') {
        const hits = found[index]!.get(cell) ?? []
        if (cell !== '' && hits.length !== 1) problems.add(texts.referenceHits(cell, hits.length))
        else setField(target, field.name, before, hits[0]?.id ?? null, hits[0]?.label ?? '')
        continue
      }
      const parsed = parseCellText(field, cell)
      if ('value' in parsed) setField(target, field.name, before, parsed.value)
      else setUnparsed(target, field.name, cell)
    }
  }
  return [...problems]
}
