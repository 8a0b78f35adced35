// Makes rows of the lines of a CSV file, and finds every mistake that can be found without writing anything.

import { type FieldModel, type TypeModel, titleOf } from '../api/model.ts'
import { mistakeIn } from '../edit/check-value.ts'
import { findReferred } from '../edit/find-referred.ts'
import { parseCellText } from '../edit/typed-text.ts'
import { texts } from '../texts.ts'
import type { TextLine } from './table-text.ts'

export interface BadLine {
  line: number
  /** The field; null: the whole line. */
  field: string | null
  message: string
  /** Whether the rules refuse it. */
  isDenied?: boolean
}

export interface CheckedLines {
  rows: Readonly<Record<string, unknown>>[]
  bad: BadLine[]
}

/** `mapping`: the field of each column; null: the column is left out. */
export async function checkLines(
  type: TypeModel,
  lines: readonly TextLine[],
  mapping: readonly (FieldModel | null)[],
): Promise<CheckedLines> {
  const bad: BadLine[] = []
  const found = await Promise.all(
    mapping.map((field, index) =>
      field === null
        ? null
        : findReferred(
            field,
            lines.map(({ cells }) => cells[index]?.trim() ?? ''),
          ),
    ),
  )
  const missing = type.fields.filter((field) => field.create === 'required' && !mapping.includes(field))
  for (const { name } of missing) bad.push({ line: 1, field: name, message: texts.noColumn(titleOf(name)) })
  const rows = lines.map(({ line, cells }) => {
    const row: Record<string, unknown> = {}
    if (cells.length > mapping.length) bad.push({ line, field: null, message: texts.tooManyCells(mapping.length) })
    for (const [index, field] of mapping.entries()) {
      if (field === null) continue
      const cell = cells[index] ?? ''
      if (cell === '') {
        if (field.create === 'required') bad.push({ line, field: field.name, message: texts.needed })
        continue // the default holds
      }
      if (field.kind === 'reference') {
        const hits = found[index]!.get(cell.trim()) ?? []
        if (hits.length === 1) row[field.name] = hits[0]!.id
        else bad.push({ line, field: field.name, message: texts.referenceHits(cell, hits.length) })
        continue
      }
      const parsed = parseCellText(field, cell)
      const mistake = 'mistake' in parsed ? parsed.mistake : mistakeIn(field, parsed.value)
      if (mistake !== null) bad.push({ line, field: field.name, message: mistake })
      else row[field.name] = (parsed as { value: unknown }).value
    }
    return row
  })
  return { rows, bad }
}

/** The field that a column is for, by its name or title. */
export function guessField(type: TypeModel, column: string): FieldModel | null {
  const plain = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
  return importFields(type).find(({ name }) => plain(name) === plain(column.replace(/\.\w+$/, ''))) ?? null
}

export function importFields(type: TypeModel): FieldModel[] {
  return type.fields.filter(({ kind, create }) => (kind === 'value' || kind === 'reference') && create !== 'none')
}
