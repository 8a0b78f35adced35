// The default representation (docs/reference/rest.md, R10): stored fields under their own names in the order of the file, references
// as ids, values whole. What has no column (lists, the other side of a one-to-one) is left out, so that what was read can
// be put back; so is what this class of viewers can never read, and a PUT keeps it. A field that was renamed stands there
// under its former name too, while that goes on working.

import type { Resource, StoredType, ValueType } from '#model'
import type { Selection, ValueSelection } from '../plan.ts'
import type { Visibility } from '../visibility.ts'

export function defaultSelection(of: Resource, visibility: Visibility): Selection[] {
  const selections: Selection[] = []
  for (const field of of.fields.values()) {
    if (visibility.isHidden(field)) continue
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

/** Who reads what it knows under a former name finds it there. */
function namesOf({ name, alias }: { name: string; alias?: string }): string[] {
  return alias === undefined ? [name] : [name, alias]
}

/** All fields of a value type, and of those inside it. One that holds itself is given as it is stored from there on. */
export function allValueFields(type: ValueType, within: readonly ValueType[] = []): ValueSelection[] {
  const path = [...within, type]
  return [...type.fields.values()].flatMap((field): ValueSelection[] => {
    const inner = valueTypeIn(field.type)
    const selection = inner === null || path.includes(inner) ? null : allValueFields(inner, path)
    return namesOf(field).map((key) => ({ kind: 'field', key, field, selections: selection }))
  })
}

/** The value type that the type is, or is a list of. */
export function valueTypeIn(type: StoredType): ValueType | null {
  if (type.kind === 'value') return type.value
  return type.kind === 'list' ? valueTypeIn(type.of) : null
}
