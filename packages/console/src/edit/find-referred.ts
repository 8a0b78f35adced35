// Finds the rows that texts of a spreadsheet mean: the one with this id, else those with this label.

import { client } from '../api/client.ts'
import { type FieldModel, fieldNamed, typeNamed } from '../api/model.ts'
import { labelOf, type Row } from '../api/row.ts'

export interface FoundRow {
  id: string
  label: string
}

/** Texts of one request: each may be the id of one row and the label of another. */
const portion = 40

export async function findReferred(field: FieldModel, cells: readonly string[]): Promise<Map<string, FoundRow[]>> {
  const found = new Map<string, FoundRow[]>()
  const to = field.kind === 'reference' ? typeNamed(field.type) : undefined
  if (to === undefined) return found
  const wanted = [...new Set(cells)].filter((text) => text !== '')
  const label = to.label === null ? undefined : fieldNamed(to, to.label)
  const names = ['id', ...(label === undefined ? [] : [label.name]), ...(to.kind === 'abstract' ? ['_type'] : [])]
  for (let start = 0; start < wanted.length; start += portion) {
    const texts = wanted.slice(start, start + portion)
    const where = { or: [{ id: { in: texts } }, ...(label === undefined ? [] : [{ [label.name]: { in: texts } }])] }
    const query = new URLSearchParams({ where: JSON.stringify(where), fields: names.join(','), limit: '100' })
    const { data } = await client.rest.get<Row[]>(`/${to.path}?${query}`)
    for (const row of data!) {
      const one = { id: to.kind === 'abstract' ? `${row._type}:${row.id}` : row.id, label: labelOf(to, row) }
      if (texts.includes(row.id)) found.set(row.id, [one])
      else found.set(one.label, [...(found.get(one.label) ?? []), one])
    }
  }
  return found
}
