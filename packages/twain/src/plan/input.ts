// What a write sets: an input object, from a REST body or a GraphQL argument alike → the fields that it names.
// Values are not looked at here; each becomes a slot that `check` holds against its field.

import { didYouMean } from '#base'
import type { Field, LinksField, ReferenceField, Resource, StoredField } from '#model'
import { type Draft, now } from './draft.ts'
import type { SetField } from './plan.ts'

/** `merge`: value types are merged into what is there (RFC 7396), not replaced. */
export function planInput(
  tree: unknown,
  of: Resource,
  action: 'create' | 'replace' | 'update',
  draft: Draft,
  place: string,
  merge: boolean,
): SetField[] {
  const input = now(tree)
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    draft.problem(place, 'TYPE', `must be an object with the fields of ${of.name}.`)
    return []
  }
  const sets: SetField[] = []
  for (const [name, leaf] of Object.entries(input)) {
    if (leaf === undefined) continue
    const path = place === '' ? name : `${place}.${name}`
    const field = of.fields.get(name)
    if (field === undefined) {
      const near = didYouMean(name, writableNames(of))
      draft.problem(path, 'UNKNOWN', `"${name}" is not a field of ${of.name}.${near}`)
    } else if (isSettable(field, action, draft, path)) {
      const merged = merge && field.kind === 'stored' && field.type.kind === 'value'
      const slot = draft.slot({ kind: 'field', field, merge: merged }, leaf, path)
      sets.push({ field, slot })
    }
  }
  if (action !== 'update') requireAll(of, sets, draft, place)
  return sets
}

type Settable = StoredField | ReferenceField | LinksField

/** An update or a replace may name what it can't change (the id, times, `@immutable`): what was read can be put back.
 *  The write compares, and refuses what differs. */
function isSettable(field: Field, action: string, draft: Draft, path: string): field is Settable {
  switch (field.kind) {
    case 'many':
    case 'inverse': {
      const { to, via } = field
      draft.problem(path, 'READONLY', `is the other side of ${to.name}.${via.name}; write that one instead.`)
      return false
    }
    case 'stored':
      if (action !== 'create') return true
      if (field.name === 'id') {
        draft.problem(path, 'READONLY', 'is made by the server; PUT to a path with an id chooses one.')
        return false
      }
      if (field.auto !== null) {
        draft.problem(path, 'READONLY', 'is set by the server.')
        return false
      }
      return true
    case 'reference':
    case 'links':
      return true
  }
}

function requireAll(of: Resource, sets: readonly SetField[], draft: Draft, place: string): void {
  for (const field of of.fields.values()) {
    if (!isRequiredInput(field) || sets.some((set) => set.field === field)) continue
    draft.problem(place === '' ? field.name : `${place}.${field.name}`, 'REQUIRED', 'must be given.')
  }
}

/** Whether a create must name the field. */
export function isRequiredInput(field: Field): boolean {
  if (field.kind === 'stored') {
    return field.required && field.auto === null && field.default === undefined && field.name !== 'id'
  }
  return field.kind === 'reference' && field.required && field.default === undefined
}

function writableNames(of: Resource): string[] {
  return [...of.fields.values()]
    .filter((field) => field.kind !== 'many' && field.kind !== 'inverse' && field.name !== 'id')
    .map((field) => field.name)
}
