// What stands against a write, found by name before the row is touched.

import { type Fault, type Problem, validationFault } from '#base'
import type { Resource } from '#model'
import type { SqlValue } from '../compile/encode.ts'
import { type Look, map, passed, settle } from './ask.ts'
import type { StoredRow } from './table-access.ts'
import type { WriterContext } from './writer-context.ts'

/** Unique fields whose values another row has; only those that `changed` touches, if it is given. */
export function findTaken(
  resource: Resource,
  row: StoredRow,
  changed: ReadonlyMap<string, SqlValue> | null,
  context: WriterContext,
  problems: Problem[],
): Look<void> {
  const touched = context
    .table(resource)
    .uniques.filter(({ columns }) => changed === null || columns.some((column) => changed.has(column)))
    .map(({ fields, columns, sql }) => ({
      fields,
      sql,
      values: columns.map((column) => row.values.get(column) ?? null),
    }))
    .filter(({ values }) => !values.includes(null))
  if (touched.length === 0) return passed
  const isTaken = settle(touched.map(({ sql, values }) => ({ sql, parameters: [row.id, ...values] })))
  return map(isTaken, (taken) => {
    for (const [index, { fields }] of touched.entries()) {
      if (!taken[index]!) continue
      for (const path of fields) problems.push({ path, code: 'UNIQUE', message: takenMessage(resource, fields) })
    }
  })
}

/** Says which fields, and nothing of the row that has them: the viewer may not be one who can read it. */
export function takenMessage(resource: Resource, names: readonly string[]): string {
  const together = names.length > 1 ? `this combination of ${names.join(', ')}` : `this ${names[0]}`
  return `Another ${resource.name} has ${together} already.`
}

export function conflict(problems: Problem[]): Fault {
  return validationFault(problems, 'CONFLICT')
}

/** What was let through before the row and the viewer were known: a reference that is the viewer, or one that a replace
 *  keeps because its writer can't see it. */
export function missing(path: string): Problem {
  return { path, code: 'REQUIRED', message: 'must be given.' }
}

export function readonlyMessage(field: string): string {
  return field === 'id'
    ? 'must be the id of the row.'
    : 'can not be changed; leave it out, or give the value that it has.'
}
