// Puts a pasted text into the cells from one place on, as changes that are not saved yet. A reference is found by its id or label.

import { client } from '../api/client.ts'
import { type FieldModel, fieldNamed, type TypeModel, titleOf, typeNamed } from '../api/model.ts'
import { labelOf, type Row } from '../api/row.ts'
import { isCellEditable } from '../edit/cell-lock.ts'
import { setField, setUnparsed, targetOf } from '../edit/drafts.ts'
import { choicesOf, parseText } from '../edit/typed-text.ts'
import { writtenValue } from '../edit/written-value.ts'
import { texts } from '../texts.ts'
import type { GridPlace } from './grid-focus.ts'
import { parseGridText } from './grid-text.ts'
import type { Column } from './rows-query.ts'

/** Returns a sentence for each thing that was left out. */
export async function pasteInto(
  type: TypeModel,
  rows: readonly Row[],
  columns: readonly Column[],
  text: string,
  at: GridPlace,
): Promise<string[]> {
  const lines = parseGridText(text)
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
        if (cell !== '' && hits.length !== 1) problems.add(texts.pasteReference(cell, hits.length))
        else setField(target, field.name, before, hits[0]?.id ?? null, hits[0]?.label ?? '')
        continue
      }
      const parsed = parsePasted(field, cell)
      if ('value' in parsed) setField(target, field.name, before, parsed.value)
      else setUnparsed(target, field.name, cell)
    }
  }
  return [...problems]
}

/** Like typed text, with enums and Booleans by their names, and without a null where there must be a value. */
function parsePasted(field: FieldModel, text: string): ReturnType<typeof parseText> {
  const choices = choicesOf(field)
  if (choices === null) return parseText(field, text)
  if (text === '') return { value: null }
  const choice = choices.find((one) => one.toLowerCase() === text.trim().toLowerCase())
  if (choice === undefined) return { mistake: text }
  return { value: field.type === 'Boolean' ? choice === 'true' : choice }
}

interface Hit {
  id: string
  label: string
}

/** The rows that each text may mean: the one with this id, else those with this label. */
async function findReferred(field: FieldModel, cells: readonly string[]): Promise<Map<string, Hit[]>> {
  const hits = new Map<string, Hit[]>()
  const to = field.kind === 'reference' ? typeNamed(field.type) : undefined
  const wanted = [...new Set(cells)].filter((text) => text !== '')
  if (to === undefined || wanted.length === 0) return hits
  const label = to.label === null ? undefined : fieldNamed(to, to.label)
  const names = ['id', ...(label === undefined ? [] : [label.name]), ...(to.kind === 'abstract' ? ['_type'] : [])]
  const where = { or: [{ id: { in: wanted } }, ...(label === undefined ? [] : [{ [label.name]: { in: wanted } }])] }
  const query = new URLSearchParams({ where: JSON.stringify(where), fields: names.join(',') })
  const { data } = await client.rest.get<Row[]>(`/${to.path}?${query}`)
  for (const row of data!) {
    const hit = { id: to.kind === 'abstract' ? `${row._type}:${row.id}` : row.id, label: labelOf(to, row) }
    if (wanted.includes(row.id)) hits.set(row.id, [hit])
    else hits.set(hit.label, [...(hits.get(hit.label) ?? []), hit])
  }
  return hits
}
