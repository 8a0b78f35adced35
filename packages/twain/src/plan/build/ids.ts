// The ids that a client sends: those that it chooses for new rows, and in a transaction `$0.id` or `$post.id`, the id of the row
// of an earlier write.

import { didYouMean, type Problem, validationError } from '#base'
import { isPossibleId, possibleIdMessage } from '../check/possible-id.ts'
import { parametersOf } from '../parameters.ts'
import type { BoundPlan, Parameter, WritePlan } from '../plan.ts'
import type { PlanBuilder } from './plan-builder.ts'

/** The ids of earlier rows, by the names of their writes. Null: the write finds its row by a key, and its id is not known yet. */
export type EarlierIds = ReadonlyMap<string, string | null>

const referencePattern = /^\$([A-Za-z0-9_]+)\.id$/

/** The plan with these ids bound. Throws an ApiError that names every reference to a write that is not an earlier one. Only
 *  parameters that accept ids are resolved. */
export function withEarlierIds(boundPlan: BoundPlan<WritePlan>, earlier: EarlierIds): BoundPlan<WritePlan> {
  const problems: Problem[] = []
  const values = [...boundPlan.values]
  for (const parameter of parametersOf(boundPlan.plan)) {
    if (!isId(parameter)) continue
    const place = boundPlan.places[parameter.index] ?? ''
    const value = values[parameter.index]
    values[parameter.index] = Array.isArray(value)
      ? value.map((one, index) => resolveEarlierId(one, earlier, `${place}.${index}`, problems))
      : resolveEarlierId(value, earlier, place, problems)
  }
  if (problems.length > 0) throw validationError(problems)
  return { ...boundPlan, values }
}

function isId({ accepts }: Parameter): boolean {
  if (accepts.kind === 'ids') return true
  if (accepts.kind === 'field') return accepts.field.kind !== 'stored'
  return accepts.kind === 'type' && accepts.type.kind === 'scalar' && accepts.type.name === 'ID'
}

/** The value itself, if it is no reference. */
export function resolveEarlierId(value: unknown, earlier: EarlierIds, place: string, problems: Problem[]): unknown {
  const name = typeof value === 'string' ? referencePattern.exec(value)?.[1] : undefined
  if (name === undefined) return value
  const id = earlier.get(name)
  if (id !== undefined && id !== null) return id
  if (id === null) {
    const message = `"$${name}" finds its row by a key, so that its id is not known here.`
    problems.push({ path: place, code: 'UNKNOWN', message })
    return value
  }
  const near = didYouMean(name, earlier.keys())
  problems.push({ path: place, code: 'UNKNOWN', message: `"$${name}" is not an earlier write.${near}` })
  return value
}

/** The id of the row of a write; null: its key finds it. */
export function idOf({ plan, values }: BoundPlan<WritePlan>): string | null {
  return plan.id === null ? null : String(values[plan.id.index])
}

/** For a replace, which may create a row with the id. Other requests just find no row with an impossible id. */
export function expectPossibleNewId(id: string, builder: PlanBuilder): void {
  if (!isPossibleId(id)) builder.problem('id', 'PATTERN', possibleIdMessage)
}
