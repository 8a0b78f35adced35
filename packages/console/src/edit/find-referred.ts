// Finds the rows that texts of a spreadsheet mean: the one with this id, else those with this label. Labels need not be unique.

import { type FieldModel, fieldNamed, type TypeModel, typeNamed } from '../api/model.ts'
import { readRowsUpTo } from '../api/read-rows.ts'
import { labelOf, type Row } from '../api/row.ts'
import { compareExact } from './check-value.ts'
import { parseCellText } from './typed-text.ts'

export interface FoundRow {
  id: string
  label: string
}

const possibleId = /^([A-Za-z_]\w*:)?[A-Za-z0-9_-]{1,64}$/

/** Texts of one request. */
const portion = 40
/** Rows with the labels of one portion. If there are more, each half of the portion is asked for alone. */
const maxRows = 100

export async function findReferred(field: FieldModel, cells: readonly string[]): Promise<Map<string, FoundRow[]>> {
  const found = new Map<string, FoundRow[]>()
  const to = field.kind === 'reference' ? typeNamed(field.type) : undefined
  if (to === undefined) return found
  const wanted = [...new Set(cells)].filter((text) => text !== '')
  const label = to.label === null ? undefined : fieldNamed(to, to.label)
  for (let start = 0; start < wanted.length; start += portion) {
    const texts = wanted.slice(start, start + portion)
    const labels = label === undefined ? [] : texts.flatMap((text) => meaning(label, text))
    const ids = texts.filter((text) => possibleId.test(text)) // the server refuses a filter by others
    const [withLabel, withId] = await Promise.all([rowsWithLabel(to, label, labels), readWhere(to, label, 'id', ids)])
    for (const row of withLabel)
      for (const { text, value } of labels)
        if (isMeant(label!, row[label!.name], value)) found.set(text, [...(found.get(text) ?? []), foundRow(to, row)])
    for (const row of withId.rows) found.set(row.id, [foundRow(to, row)])
  }
  return found
}

interface WantedLabel {
  text: string
  /** As a filter takes it. */
  value: unknown
}

/** A label may be a number, a time or an enum: a text that is none of these names no row. */
function meaning(label: FieldModel, text: string): WantedLabel[] {
  const parsed = parseCellText(label, text)
  return 'value' in parsed && parsed.value !== null ? [{ text, value: parsed.value }] : []
}

/** `1.50` is the same exact number as `1.5`. */
function isMeant({ type }: FieldModel, label: unknown, value: unknown): boolean {
  if (label === value) return true
  const isExact = type === 'Decimal' || type === 'BigInt'
  return isExact && typeof label === 'string' && compareExact(label, String(value)) === 0
}

/** All rows with these labels; of a label that many rows have, some of them. */
async function rowsWithLabel(
  to: TypeModel,
  label: FieldModel | undefined,
  wanted: readonly WantedLabel[],
): Promise<readonly Row[]> {
  if (label === undefined || wanted.length === 0) return []
  const values = wanted.map(({ value }) => value)
  const { rows, hasMore } = await readWhere(to, label, label.name, values)
  if (!hasMore || wanted.length === 1) return rows
  const middle = Math.ceil(wanted.length / 2)
  const halves = [wanted.slice(0, middle), wanted.slice(middle)]
  return (await Promise.all(halves.map((half) => rowsWithLabel(to, label, half)))).flat()
}

function readWhere(to: TypeModel, label: FieldModel | undefined, name: string, values: readonly unknown[]) {
  const fields = ['id', ...(label === undefined ? [] : [label.name]), ...(to.kind === 'abstract' ? ['_type'] : [])]
  const where = JSON.stringify({ [name]: { in: values } })
  return readRowsUpTo(maxRows, to.path, String(new URLSearchParams({ where, fields: fields.join(',') })))
}

function foundRow(to: TypeModel, row: Row): FoundRow {
  return { id: to.kind === 'abstract' ? `${row._type}:${row.id}` : row.id, label: labelOf(to, row) }
}
