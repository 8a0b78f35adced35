// Resolves references by id. For an interface or a union the id alone is enough while it is unambiguous; otherwise `Type:id`
// names the row.

import type { Problem } from '#base'
import { type Abstract, memberNamed, type ReferenceField, type Resource } from '#model'
import type { RowReference, StoredRow } from '../access/stored-row.ts'
import type { WriterContext } from '../access/writer-context.ts'
import type { WriteRules } from '../rules/write-rules.ts'
import type { WriteState } from '../rules/write-state.ts'
import { type Check, constant, evaluateChecks, map, type QueryBatch } from '../steps/query-step.ts'

/** A reference of a write, and its path. */
export interface ReferenceInput {
  to: Resource | Abstract
  id: string
  path: string
  /** The rules that decide whether the row may be referenced. */
  rules: WriteRules
}

/** Finds the target of each reference, or reports a problem at its path. A row that the viewer can't read counts as
 *  missing. */
export function resolveReferences(
  references: readonly ReferenceInput[],
  context: WriterContext,
  problems: Problem[],
  isNew?: WriteState['isNew'],
): QueryBatch<Map<ReferenceInput, RowReference | null>> {
  const resolved = new Map<ReferenceInput, RowReference | null>()
  if (references.length === 0) return constant(resolved)
  const candidatesOf: RowReference[][] = []
  const checks: Check[] = []
  for (const reference of references) {
    const targets = candidates(reference)
    candidatesOf.push(targets)
    for (const { type, id } of targets) {
      const isThere = isNew?.(type, id) === true || context.table(context.resource(type)).has(id)
      checks.push(isThere, reference.rules.canReference(type, id))
    }
  }
  const isClear = candidatesOf.every(({ length }) => length === 1)
  return map(evaluateChecks(checks, isClear ? 'row' : undefined), (answers) => {
    let at = 0
    for (const [index, reference] of references.entries()) {
      const found: RowReference[] = []
      for (const target of candidatesOf[index]!) {
        if (answers[at]! && answers[at + 1]!) found.push(target)
        at += 2
      }
      resolved.set(reference, found.length === 1 ? found[0]! : null)
      if (found.length === 1) continue
      problems.push({ path: reference.path, code: 'REFERENCE', message: unresolvedMessage(reference, found) })
    }
    return resolved
  })
}

/** The rows that the reference may mean. */
function candidates({ to, id: reference }: ReferenceInput): RowReference[] {
  if (to.kind === 'resource') return [{ type: to.name, id: reference }]
  const colon = reference.indexOf(':')
  const type = colon < 0 ? null : reference.slice(0, colon)
  const named = type === null ? undefined : memberNamed(to, type)
  const members = named === undefined ? to.members : [named]
  const id = named === undefined ? reference : reference.slice(colon + 1)
  return members.map(({ name }) => ({ type: name, id }))
}

function unresolvedMessage({ to, id }: ReferenceInput, found: readonly RowReference[]): string {
  if (found.length === 0) return `There is no ${to.name} with the id "${id}".`
  return `"${id}" could be ${found.map((target) => `${target.type}:${target.id}`).join(' or ')}; add its type to the id.`
}

/** Whether the viewer can see the target of the reference. A null reference hides nothing. */
export function canSeeTarget(field: ReferenceField, row: StoredRow, { context, rules }: WriteState): Check {
  const target = context.table(field.owner).target(field, row)
  return target === null || rules.canSee(target.type, target.id)
}
