// Finds the rows that texts of a spreadsheet mean: the one with this id, else those with this label. Labels need not be unique.

import { type FieldModel, fieldNamed, type TypeModel, typeNamed } from '../api/model.ts'
import { readRowsUpTo } from '../api/read-rows.ts'
import { labelOf, type Row } from '../api/row.ts'

export interface FoundRow {
  id: string
  label: string
}

/** Texts of one request. */
const portion = 40
/** Rows with the labels of one portion. If there are more, each half of the portion is asked for alone. */
const maxRows = 100

export async function findReferred(field: FieldModel, cells: readonly string[]): Promise<Map<string, FoundRow[]>> {
  const found = new Map<string, FoundRow[]>()
  const to = field.kind === 'reference' ? typeNamed(field.type) : undefined
  if (to === undefined) return found
  const wanted = [...new Set(cells)].filter((text) => text !== '')
  for (let start = 0; start < wanted.length; start += portion) {
    const texts = wanted.slice(start, start + portion)
    const [withLabel, withId] = await Promise.all([rowsWithLabel(to, texts), readWhere(to, 'id', texts)])
    for (const row of withLabel) {
      const one = foundRow(to, row)
      found.set(one.label, [...(found.get(one.label) ?? []), one])
    }
    for (const row of withId.rows) found.set(row.id, [foundRow(to, row)])
  }
  return found
}

/** All rows with these labels; of a label that many rows have, some of them. */
async function rowsWithLabel(to: TypeModel, texts: readonly string[]): Promise<readonly Row[]> {
  if (to.label === null || fieldNamed(to, to.label) === undefined) return []
  const { rows, hasMore } = await readWhere(to, to.label, texts)
  if (!hasMore || texts.length === 1) return rows
  const middle = Math.ceil(texts.length / 2)
  const halves = [texts.slice(0, middle), texts.slice(middle)]
  return (await Promise.all(halves.map((half) => rowsWithLabel(to, half)))).flat()
}

function readWhere(to: TypeModel, name: string, texts: readonly string[]) {
  const label = to.label === null ? undefined : fieldNamed(to, to.label)
  const fields = ['id', ...(label === undefined ? [] : [label.name]), ...(to.kind === 'abstract' ? ['_type'] : [])]
  const where = JSON.stringify({ [name]: { in: texts } })
  return readRowsUpTo(maxRows, to.path, String(new URLSearchParams({ where, fields: fields.join(',') })))
}

function foundRow(to: TypeModel, row: Row): FoundRow {
  return { id: to.kind === 'abstract' ? `${row._type}:${row.id}` : row.id, label: labelOf(to, row) }
}
