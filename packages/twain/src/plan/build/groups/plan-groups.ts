// Groups of rows, as an adapter has read them from its request → GroupRead. Both adapters add their parameters in this order: the
// filter, the search, the conditions on groups, the page.

import { unreachable } from '#base'
import type { Abstract, Resource } from '#model'
import type { GroupCondition, GroupRead, GroupSelection, OffsetBounds, Where } from '../../plan.ts'
import { defaultPageSize } from '../page.ts'
import type { PlanBuilder } from '../plan-builder.ts'
import { planGroupKeys, planTimeZone, type RequestedKey } from './group-keys.ts'
import { keyNamed, planGroupOrder, type RequestedGroupOrder } from './group-order.ts'
import { limitGroupConditions, planGroupCondition } from './having.ts'
import { MeasureBuilder } from './measures.ts'

/** Groups are small, so that a page may have more of them than of rows. */
export const maxGroups = 1000

export interface RequestedGroups {
  where: Where | null
  /** Null: all rows are one group. */
  by: readonly RequestedKey[] | null
  timeZone: unknown
  having: readonly RequestedCondition[]
  orderBy: readonly RequestedGroupOrder[]
  /** Leaves; undefined: the default. */
  limit: unknown
  offset: unknown
  selections: readonly RequestedGroupSelection[]
  /** The places of the arguments in the request. */
  places: { by: string; timeZone: string; having: string; limit: string; offset: string }
}

export interface RequestedCondition {
  measure: string
  path: readonly string[]
  operator: string
  leaf: unknown
  place: string
}

export type RequestedGroupSelection =
  | { kind: 'constant'; key: string; value: string }
  | { kind: 'key'; key: string; path: readonly string[]; place: string }
  | { kind: 'measure'; key: string; measure: string; path: readonly string[]; place: string }
  | { kind: 'object'; key: string; selections: readonly RequestedGroupSelection[] }

export function planGroups(
  requested: RequestedGroups,
  of: Resource | Abstract,
  builder: PlanBuilder,
): Omit<GroupRead, 'within'> {
  const { where, places } = requested
  const measures = new MeasureBuilder(of, builder)
  const by = requested.by === null ? null : planGroupKeys(requested.by, of, builder, places.by)
  const timeZone = planTimeZone(requested.timeZone, by ?? [], builder, places.timeZone)
  const having = requested.having.flatMap((condition) => planCondition(condition, measures, builder))
  limitGroupConditions(having, builder, places.having)
  const order = planGroupOrder(requested.orderBy, by ?? [], measures, builder)
  const page = by === null ? null : planPage(requested, builder)
  const selections = planSelections(requested.selections)
  return { kind: 'groups', of, where, by, timeZone, having, order, page, selections }

  function planSelections(list: readonly RequestedGroupSelection[]): GroupSelection[] {
    return list.flatMap((selection): GroupSelection[] => {
      switch (selection.kind) {
        case 'constant':
          return [selection]
        case 'object':
          return [{ kind: 'object', key: selection.key, selections: planSelections(selection.selections) }]
        case 'key': {
          const index = keyNamed(selection.path, by ?? [], builder, selection.place)
          return index === null ? [] : [{ kind: 'key', key: selection.key, of: index }]
        }
        case 'measure': {
          const measure = measures.measure(selection.measure, selection.path, selection.place)
          return measure === null ? [] : [{ kind: 'measure', key: selection.key, measure }]
        }
        default:
          return unreachable(selection)
      }
    })
  }
}

function planCondition(
  { measure: name, path, operator, leaf, place }: RequestedCondition,
  measures: MeasureBuilder,
  builder: PlanBuilder,
): GroupCondition[] {
  const measure = measures.measure(name, path, place)
  return measure === null ? [] : planGroupCondition(measure, operator, leaf, builder, place)
}

function planPage({ limit, offset, places }: RequestedGroups, builder: PlanBuilder): OffsetBounds {
  return {
    kind: 'offset',
    limit: builder.parameter({ kind: 'size', allowed: maxGroups }, limit ?? defaultPageSize, places.limit),
    offset: builder.parameter({ kind: 'offset' }, offset ?? 0, places.offset),
  }
}
