// What stands against a write, found by name before the row is touched.

import { type ApiError, type Problem, validationError } from '#base'
import type { Resource } from '#model'
import type { SqlValue } from '../../sql/encode.ts'
import type { StoredRow } from '../access/stored-row.ts'
import type { WriterContext } from '../access/writer-context.ts'
import type { WriteRules } from '../rules/write-rules.ts'
import { evaluateChecks, map, ok, type QueryBatch } from '../steps/query-step.ts'

/** Unique fields whose values another row has; only those that `changed` touches, if it is given. */
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
  const isTaken = evaluateChecks(touched.map(({ sql, values }) => ({ sql, parameters: [row.id, ...values] })))
  const login = resource === context.account?.resource ? context.account.login.name : null
  return map(isTaken, (taken) => {
    for (const [index, { fields }] of touched.entries()) {
      if (!taken[index]!) continue
      // What the viewer can never read is not named; but a login that is taken must be told to who signs up.
      const names = fields.filter((field) => field === login || !rules.isNeverReadable(field))
      const message = uniqueMessage(resource, names, names.length < fields.length)
      for (const path of names.length > 0 ? names : ['']) problems.push({ path, code: 'UNIQUE', message })
    }
  })
}

/** Says which fields, and nothing of the row that has them: the viewer may not be one who can read it. `isPart`: others, not
 *  named, belong to them. */
export function uniqueMessage(resource: Resource, names: readonly string[], isPart = false): string {
  if (names.length === 0) return `Another ${resource.name} has already what only one may have.`
  const together = names.length > 1 || isPart ? `this combination of ${names.join(', ')}` : `this ${names[0]}`
  const more = isPart ? ' and what you may not read' : ''
  return `Another ${resource.name} has ${together}${more} already.`
}

export function conflictError(problems: Problem[]): ApiError {
  return validationError(problems, 'CONFLICT')
}

/** What was let through before the row and the viewer were known: a reference that is the viewer, or one that a replace
 *  keeps because its writer can't see it. */
export function requiredProblem(path: string): Problem {
  return { path, code: 'REQUIRED', message: 'must be given.' }
}

export function readonlyMessage(field: string): string {
  return field === 'id'
    ? 'must be the id of the row.'
    : 'can not be changed; leave it out, or give the value that it has.'
}
