// The order of groups, always total: what the request names, then the keys. No two groups have the same keys.

import { namesOf } from '#model/names'
import type { GroupKey, GroupOrder } from '../../plan.ts'
import type { PlanBuilder } from '../plan-builder.ts'
import { pathOf } from './group-keys.ts'
import type { MeasureBuilder } from './measures.ts'

export interface RequestedGroupOrder {
  /** Null: `path` is a key. */
  measure: string | null
  path: readonly string[]
  direction: string
  place: string
}

export function planGroupOrder(
  requested: readonly RequestedGroupOrder[],
  by: readonly GroupKey[],
  measures: MeasureBuilder,
  builder: PlanBuilder,
): GroupOrder[] {
  const seen = new Set<string>()
  const order: GroupOrder[] = []
  for (const { measure, path, direction, place } of requested) {
    if (builder.hasEnoughProblems) break
    const name = [measure ?? '', ...path].join('.')
    if (direction !== 'ASC' && direction !== 'DESC') {
      builder.problem(place, 'TYPE', 'The direction must be ASC or DESC.')
    } else if (seen.has(name)) {
      builder.problem(place, 'UNKNOWN', `"${path.join('.')}" is named twice in the order.`)
    } else {
      seen.add(name)
      const key = measure === null ? planKeyOrder(path, direction, by, builder, place) : null
      if (key !== null) order.push(key)
      const measured = measure === null ? null : measures.measure(measure, path, place)
      if (measured !== null) order.push({ kind: 'measure', measure: measured, direction })
    }
  }
  const rest = by.flatMap((_key, of): GroupOrder[] =>
    order.some((one) => one.kind === 'key' && one.of === of) ? [] : [{ kind: 'key', of, direction: 'ASC' }],
  )
  return [...order, ...rest]
}

function planKeyOrder(
  path: readonly string[],
  direction: 'ASC' | 'DESC',
  by: readonly GroupKey[],
  builder: PlanBuilder,
  place: string,
): GroupOrder | null {
  const of = keyNamed(path, by, builder, place)
  return of === null ? null : { kind: 'key', of, direction }
}

/** The index of the key with this path. Null: the rows are not grouped by it, which was reported. */
export function keyNamed(
  path: readonly string[],
  by: readonly GroupKey[],
  builder: PlanBuilder,
  place: string,
): number | null {
  const index = by.findIndex(({ target }) => isPath(path, target))
  if (index >= 0) return index
  const names = by.map(({ target }) => pathOf(target)).join(', ')
  const keys = names === '' ? 'there are no keys' : `the keys are ${names}`
  builder.problem(place, 'UNKNOWN', `"${path.join('.')}" is not what the rows are grouped by; ${keys}.`)
  return null
}

/** A request may use previous names (`@was`). */
function isPath(path: readonly string[], { through, field }: GroupKey['target']): boolean {
  const fields = [...through.map((step) => step.field), field]
  return path.length === fields.length && fields.every((one, index) => namesOf(one).includes(path[index]!))
}
