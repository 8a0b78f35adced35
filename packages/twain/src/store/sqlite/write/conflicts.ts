// What stands against a write, found by name before the row is touched.

import { type Fault, type Problem, validationFault } from '#base'
import type { Resource } from '#model'
import type { SqlValue } from '../../compile/encode.ts'
import { columnNames, type StoredRow } from './table-access.ts'
import type { WriterContext } from './writer-context.ts'

/** Unique fields whose values another row has; only those that `changed` touches, if it is given. */
export function findTaken(
  resource: Resource,
  row: StoredRow,
  changed: ReadonlyMap<string, SqlValue> | null,
  context: WriterContext,
  problems: Problem[],
): void {
  const table = context.table(resource)
  for (const { unique, fields } of resource.indexes) {
    if (!unique || fields.some(({ name }) => name === 'id')) continue
    const columns = fields.flatMap((field) => columnNames(table.columns.get(field)!))
    if (changed !== null && !columns.some((column) => changed.has(column))) continue
    const values = columns.map((column) => row.values.get(column) ?? null)
    if (values.includes(null) || !table.hasOther(row.id, columns, values)) continue
    const names = fields.map(({ name }) => name)
    const together = names.length > 1 ? `this combination of ${names.join(', ')}` : `this ${names[0]}`
    for (const path of names) {
      problems.push({ path, code: 'UNIQUE', message: `Another ${resource.name} has ${together} already.` })
    }
  }
}

export function conflict(problems: Problem[]): Fault {
  return validationFault(problems, 'CONFLICT')
}

export function readonlyMessage(field: string): string {
  return field === 'id'
    ? 'must be the id of the row.'
    : 'can not be changed; leave it out, or give the value that it has.'
}
