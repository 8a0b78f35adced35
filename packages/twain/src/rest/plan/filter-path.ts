// The path of a filter parameter: names with dots between them, and types before a name (docs/reference/rest.md, R24–R26).

import { type Abstract, memberNamed, type Resource } from '#model'
import type { FilterParameter } from '../request/query-string.ts'
import { isTypeKey } from './type-key.ts'

/** A step of the path, with the type of the row that has the field. */
export interface FilterStep {
  name: string
  type: string | null
}

/** `favourite:Score.title` is `favourite`, and `title` of a Score. A type at the end has an empty name behind it. Null: a type or
 *  a name is missing. */
export function parseFilterPath(path: string): FilterStep[] | null {
  const steps: FilterStep[] = []
  let type: string | null = null
  for (const [index, text] of path.split('.').entries()) {
    const [name, next = null, ...others] = text.split(':')
    const isRoot = index === 0 && name === '' && next !== null // `:Score.title`, over a collection of several types
    if (next === '' || others.length > 0 || (name === '' && !isRoot && path.includes(':'))) return null
    if (!isRoot) steps.push({ name: name!, type })
    type = next
  }
  return type === null ? steps : [...steps, { name: '', type }]
}

/** Whether the last step of the filter is the type of a row, whose names are part of the shape of a plan. */
export function endsAtType({ path }: FilterParameter, of: Resource | Abstract): boolean {
  if (!path.endsWith('type')) return false
  let row: Resource | Abstract | null = of
  const steps = parseFilterPath(path) ?? []
  for (const [index, { name, type }] of steps.entries()) {
    if (row !== null && type !== null) row = memberNamed(row, type) ?? null
    if (row === null) return false
    const field = row.fields.get(name)
    if (field === undefined) return index === steps.length - 1 && isTypeKey(row, name)
    row = field.kind === 'stored' ? null : field.to
  }
  return false
}
