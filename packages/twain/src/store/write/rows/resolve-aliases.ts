// Fields that a write sets under their name and under their alias (`@was`). A row shows both, and a client may send back
// what it read. If only one of the two differs from the row, the client means that one.

import { isDeepStrictEqual } from 'node:util'
import { type Problem, validationError } from '#base'
import type { ReferenceField, Resource, StoredField } from '#model'
import type { StoredRow } from '../access/stored-row.ts'
import type { WriterContext } from '../access/writer-context.ts'
import type { JobField } from '../steps/write-job.ts'

/** Returns each field once. `row` is the stored row, or null. */
export function resolveAliases(
  set: readonly JobField[],
  resource: Resource,
  row: StoredRow | null,
  context: WriterContext,
): JobField[] {
  const problems: Problem[] = []
  const each = Map.groupBy(set, ({ field }) => field)
  const resolved = [...each].map(([name, inputs]): JobField => {
    const [first, ...others] = inputs as [JobField, ...JobField[]]
    if (others.every((other) => isDeepStrictEqual(other.value, first.value))) return first
    const field = resource.fields.get(name) as StoredField | ReferenceField
    const changed = row === null ? inputs : inputs.filter((one) => !isUnchanged(one, field, row, context))
    if (changed.length > 1 && !changed.every(({ value }) => isDeepStrictEqual(value, changed[0]!.value))) {
      const message = `is called ${name} now, and has another value there.`
      problems.push({ path: field.alias ?? name, code: 'TYPE', message })
    }
    return changed[0] ?? first
  })
  if (problems.length > 0) throw validationError(problems)
  return resolved
}

function isUnchanged(
  { value, merge }: JobField,
  field: StoredField | ReferenceField,
  row: StoredRow,
  context: WriterContext,
): boolean {
  const table = context.table(field.owner)
  if (field.kind === 'stored') {
    const present = table.decode(field, row)
    if (merge && typeof value === 'object') return isDeepStrictEqual({ ...(present as object), ...value }, present)
    return isDeepStrictEqual(value, present)
  }
  const target = table.target(field, row)
  return target === null ? value === null : value === target.id || value === `${target.type}:${target.id}`
}
