// Finds what a text may mean: types and custom operations by their names, and rows of all types by label or words, a few of each.

import { client } from '../api/client.ts'
import { fieldNamed, model, pageSize, type TypeModel, titleOf } from '../api/model.ts'
import { labelOf, type Row } from '../api/row.ts'
import { shownPages } from '../operations/operation-pages.tsx'
import { texts } from '../texts.ts'

export interface Hit {
  label: string
  /** The type of a row, or that it is an operation or a page; null: the hit is a type. */
  type: string | null
  steps: readonly string[]
}

const rowsOfType = 5
/** Each type that is searched is a request. */
const maxTypes = 12

export function findTypes(text: string): Hit[] {
  const wanted = text.trim().toLowerCase()
  return model
    .value!.types.filter(({ name, path }) => name.toLowerCase().includes(wanted) || path.includes(wanted))
    .map(({ name, path }) => ({ label: name, type: null, steps: [path] }))
}

export function findPages(text: string): Hit[] {
  const wanted = text.trim().toLowerCase()
  return shownPages()
    .filter(({ title }) => wanted !== '' && title.toLowerCase().includes(wanted))
    .map(({ title, step }) => ({ label: title, type: texts.page, steps: [step] }))
}

export function findOperations(text: string): Hit[] {
  const wanted = text.trim().toLowerCase()
  return model
    .value!.operations.filter(({ name }) => wanted !== '' && `${name} ${titleOf(name)}`.toLowerCase().includes(wanted))
    .map(({ name }) => ({ label: titleOf(name), type: texts.operation, steps: ['+call', name] }))
}

export async function findRows(text: string): Promise<Hit[]> {
  const wanted = text.trim()
  if (wanted === '') return []
  const types = model.value!.types.filter((type) => type.kind === 'rows' && conditionOf(type, wanted) !== null)
  const found = await Promise.all(types.slice(0, maxTypes).map((type) => findIn(type, wanted)))
  return found.flat()
}

async function findIn(type: TypeModel, wanted: string): Promise<Hit[]> {
  const query = new URLSearchParams({ ...conditionOf(type, wanted), limit: String(pageSize(rowsOfType)) })
  query.set('fields', ['id', ...(type.label === null ? [] : [type.label])].join(','))
  try {
    const { data } = await client.rest.get<Row[]>(`/${type.path}?${query}`, { headers: { prefer: 'cut=80' } })
    return data!.map((row) => ({ label: labelOf(type, row), type: type.name, steps: [type.path, row.id] }))
  } catch {
    return [] // a type that can't be searched so does not hide what others find
  }
}

/** By id if the text is one; else by label, or by words. Null: the type can't be searched. */
function conditionOf(type: TypeModel, wanted: string): Record<string, string> | null {
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(wanted)) return { id: wanted }
  const label = type.label === null ? undefined : fieldNamed(type, type.label)
  if (label?.operators.includes('icontains')) return { [`${label.name}[icontains]`]: wanted }
  return type.search ? { search: wanted } : null
}
