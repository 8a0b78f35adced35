// Finds conflicts of a write by name, before the row is touched.

import { type ApiError, type Problem, validationError } from '#base'
import type { Resource } from '#model'
import type { SqlValue } from '../../sql/encode.ts'
import type { StoredRow } from '../access/stored-row.ts'
import type { WriterContext } from '../access/writer-context.ts'
import type { WriteRules } from '../rules/write-rules.ts'
import { evaluateChecks, map, ok, type QueryBatch } from '../steps/query-step.ts'

/** Finds unique fields whose values another row has; only those in `changed`, unless it is null. */
export function findUniqueConflicts(
  resource: Resource,
  row: StoredRow,
  changed: ReadonlyMap<string, SqlValue> | null,
  context: WriterContext,
  rules: WriteRules,
  problems: Problem[],
): QueryBatch<void> {
  const touched = context
    .table(resource)
    .uniques.filter(({ columns }) => changed === null || columns.some((column) => changed.has(column)))
    .map(({ fields, columns, sql }) => ({
      fields,
      sql,
      values: columns.map((column) => row.values.get(column) ?? null),
    }))
    .filter(({ values }) => !values.includes(null))
  if (touched.length === 0) return ok
  const isTaken = evaluateChecks(
    touched.map(({ sql, values }) => ({ sql, parameters: [row.id, ...values] })),
    'none',
  )
  const login = resource === context.account?.resource ? context.account.login.name : null
  return map(isTaken, (taken) => {
    for (const [index, { fields }] of touched.entries()) {
      if (!taken[index]!) continue
      // Fields that the viewer can never read are not named, except a taken login: sign-up must report it.
      const names = fields.filter((field) => field === login || !rules.isNeverReadable(field))
      const message = uniqueMessage(resource, names, names.length < fields.length)
      for (const path of names.length > 0 ? names : ['']) problems.push({ path, code: 'UNIQUE', message })
    }
  })
}

/** Names the fields and nothing of the other row, which the viewer may not be able to read. `isPart`: the constraint has
 *  hidden fields too. */
export function uniqueMessage(resource: Resource, names: readonly string[], isPart = false): string {
  if (names.length === 0) return `A value must be unique, and another ${resource.name} has it already.`
  const together = names.length > 1 || isPart ? `this combination of ${names.join(', ')}` : `this ${names[0]}`
  const more = isPart ? ' and fields that you may not read' : ''
  return `Another ${resource.name} has ${together}${more} already.`
}

export function conflictError(problems: Problem[]): ApiError {
  return validationError(problems, 'CONFLICT')
}

/** For a required field whose value is known only here: the viewer, or a hidden reference that a replace keeps. */
export function requiredProblem(path: string): Problem {
  return { path, code: 'REQUIRED', message: 'is required.' }
}

export function readonlyMessage(field: string): string {
  return field === 'id'
    ? 'must be the id of the row.'
    : 'can not be changed; leave it out, or give the value that it has.'
}
