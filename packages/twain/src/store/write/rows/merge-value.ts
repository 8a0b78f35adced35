// RFC 7396 inside a value type: members that a patch names are replaced, null clears one, the rest stays. What comes out
// is checked as a whole, since a member that is required may be missing from both.

import { isRecord, type Problem } from '#base'
import type { StoredField } from '#model'
import { checkConstraint, checkValue } from '#plan'

export function mergeValue(field: StoredField, present: unknown, patch: unknown, problems: Problem[]): unknown {
  if (field.type.kind !== 'value' || patch === null) return patch
  const merged = checkValue(field.type, merge(present, patch), field.name, problems)
  checkConstraint(field.constraint, field.type, merged, field.name, problems)
  return merged
}

function merge(present: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch
  const merged = new Map(Object.entries(isRecord(present) ? present : {}))
  for (const [key, value] of Object.entries(patch)) {
    merged.set(key, isRecord(value) ? merge(merged.get(key), value) : value)
  }
  return Object.fromEntries(merged)
}
