// Enum values inside a stored value. A row may hold values that a newer schema version has added.

import { isRecord } from '#base'
import type { StoredType, ValueType } from '#model'

export function containsEnum(type: StoredType): boolean {
  if (type.kind === 'list') return containsEnum(type.of)
  return type.kind === 'value' ? valueContainsEnum(type.value) : type.kind === 'enum'
}

const known = new WeakMap<ValueType, boolean>()

/** Value types may contain each other. */
function valueContainsEnum(start: ValueType): boolean {
  const cached = known.get(start)
  if (cached !== undefined) return cached
  const values = new Set([start])
  let found = false
  // The iteration of a Set continues over items that are added meanwhile.
  for (const { fields } of values) {
    for (const { type } of fields.values()) {
      const item = itemType(type)
      if (item.kind === 'enum') found = true
      if (item.kind === 'value') values.add(item.value)
    }
  }
  known.set(start, found)
  return found
}

function itemType(type: StoredType): StoredType {
  return type.kind === 'list' ? itemType(type.of) : type
}

/** The enum values in a value that this schema does not have. */
export function unknownEnumValues(type: StoredType, value: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (type.kind === 'list' && Array.isArray(value)) for (const item of value) unknownEnumValues(type.of, item, found)
  else if (type.kind === 'value' && isRecord(value)) {
    const members = new Map(Object.entries(value))
    for (const { name, type: of } of type.value.fields.values()) unknownEnumValues(of, members.get(name), found)
  } else if (type.kind === 'enum' && typeof value === 'string') {
    if (!type.enum.values.some(({ name }) => name === value)) found.add(value)
  }
  return found
}
