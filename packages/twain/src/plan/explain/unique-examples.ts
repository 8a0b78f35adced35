// Values of unique fields in examples: each example has its own, so that it can be sent although earlier ones were.

import type { Problem } from '#base'
import { checkConstraint, type Field, type Json, type Resource, type StoredField } from '#model'

export type JsonObject = { [key: string]: Json }

/** Changes one value of each unique index. `suffix` is a hexadecimal number. */
export function withUniqueValues(input: JsonObject, of: Resource, suffix: string): JsonObject {
  const made: JsonObject = { ...input }
  const changed = new Set<unknown>()
  for (const { unique, fields } of of.indexes) {
    if (!unique || fields.some((field) => changed.has(field))) continue
    for (const field of fields) {
      const value = isVariable(field, input) ? variedValue(field, input[field.name]!, suffix) : undefined
      if (value === undefined) continue
      made[field.name] = value
      changed.add(field)
      break
    }
  }
  return made
}

function isVariable(field: Field, input: JsonObject): field is StoredField {
  return field.kind === 'stored' && (input[field.name] ?? null) !== null
}

/** Undefined: no other value satisfies the constraint. */
function variedValue({ type, constraint }: StoredField, value: Json, suffix: string): Json | undefined {
  return candidates(value, suffix, constraint?.maxLength).find((candidate) => {
    const problems: Problem[] = []
    if (constraint !== null) checkConstraint(constraint, type, candidate, '', problems)
    return problems.length === 0
  })
}

function candidates(value: Json, suffix: string, maxLength = Number.POSITIVE_INFINITY): Json[] {
  const number = Number.parseInt(suffix, 16)
  if (typeof value === 'number') return [number, number % 1000, number % 100]
  if (typeof value !== 'string') return []
  const [name, host] = value.split('@')
  const begun = value.slice(0, Math.max(0, maxLength - suffix.length - 1))
  return [
    ...(host === undefined ? [] : [`${name}-${suffix}@${host}`]),
    ...(/^https?:/.test(value) ? [`${value}${suffix}`] : []),
    ...(/^[0-9a-f-]{36}$/.test(value) ? [value.slice(0, -suffix.length) + suffix] : []),
    ...(/^[\d.]+$/.test(value) ? [String(number)] : []),
    ...(/^\d{4}-\d\d-\d\d/.test(value)
      ? []
      : [`${begun} ${suffix}`, `${begun}-${suffix}`, `${begun}_${suffix}`, begun + suffix, begun + number]),
    suffix,
    `a${suffix}`,
    String(number),
  ]
}
