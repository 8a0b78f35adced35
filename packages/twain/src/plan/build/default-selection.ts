// The default representation (docs/reference/rest.md, R10): stored fields in the order of the schema file, references as ids,
// complete value types. Fields without a column (lists, the other side of a one-to-one) are left out, so that a client can PUT
// what it read. So are fields that the viewer can never read; a PUT keeps them. A renamed field occurs under its alias too.

import { isShownByDefault, type Resource, type StoredType, type ValueType } from '#model'
import { namesOf } from '#model/names'
import type { Selection, ValueSelection } from '../plan.ts'
import type { Visibility } from '../visibility.ts'

export function defaultSelection(of: Resource, visibility: Visibility): Selection[] {
  const selections: Selection[] = []
  for (const field of of.fields.values()) {
    if (visibility.isHidden(field) || !isShownByDefault(field)) continue
    for (const key of namesOf(field)) {
      if (field.kind === 'reference') selections.push({ kind: 'id', key, field })
      if (field.kind !== 'stored') continue
      const value = valueTypeIn(field.type)
      selections.push(
        value === null
          ? { kind: 'field', key, field }
          : { kind: 'value', key, field, selections: allValueFields(value) },
      )
    }
  }
  return selections
}

/** All fields of a value type, nested ones included. A recursive value type is selected as it is stored from there on. */
export function allValueFields(type: ValueType, within: readonly ValueType[] = []): ValueSelection[] {
  const path = [...within, type]
  return [...type.fields.values()].flatMap((field): ValueSelection[] => {
    const inner = valueTypeIn(field.type)
    const selection = inner === null || path.includes(inner) ? null : allValueFields(inner, path)
    return namesOf(field).map((key) => ({ kind: 'field', key, field, selections: selection }))
  })
}

/** The value type itself, or that of the items of a list. */
export function valueTypeIn(type: StoredType): ValueType | null {
  if (type.kind === 'value') return type.value
  return type.kind === 'list' ? valueTypeIn(type.of) : null
}
