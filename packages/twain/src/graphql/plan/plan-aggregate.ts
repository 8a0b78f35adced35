// `ordersAggregate` and `ordersGroupBy` → GroupRead: the arguments of the field, and what is selected of the groups.

import { type Abstract, type FieldMeasure, isFieldMeasure, type Resource } from '#model'
import { aggregateTypes, measureTypeOf } from '#model/names'
import type { GroupRead } from '#plan'
import {
  planGroups,
  planSearch,
  planWhere,
  type RequestedGroupSelection,
  readGroupKeys,
  readGroupOrder,
  readHaving,
} from '#plan/build'
import { type SelectedField, type SelectionSets, subselections } from '../document/selection.ts'
import type { PlanContext } from './plan-context.ts'

/** `parent` is the type that has the field. */
export function planAggregate(
  of: Resource | Abstract,
  kind: 'aggregate' | 'groups',
  selected: SelectedField,
  parent: string,
  context: PlanContext,
  place: string,
): GroupRead {
  const { builder } = context
  const args = context.argumentsOf(selected.node, parent)
  const filter = planWhere(args.tree('where'), of, builder, `${place}.where`)
  const where = planSearch(args.leaf('search'), filter, of, builder, `${place}.search`)
  const by = kind === 'aggregate' ? null : readGroupKeys(args.value('by'), builder, `${place}.by`)
  const type = kind === 'aggregate' ? aggregateTypes(of).aggregate : aggregateTypes(of).group
  const requested = {
    where,
    by,
    timeZone: args.leaf('timeZone'),
    having: readHaving(args.tree('having'), `${place}.having`),
    orderBy: readGroupOrder(args.value('orderBy'), builder, `${place}.orderBy`),
    limit: args.leaf('limit'),
    offset: args.leaf('offset'),
    selections: readSelections(of, type, subselections(selected), context, place),
    places: {
      by: `${place}.by`,
      timeZone: `${place}.timeZone`,
      having: `${place}.having`,
      limit: `${place}.limit`,
      offset: `${place}.offset`,
    },
  }
  return { ...planGroups(requested, of, builder), within: null }
}

function readSelections(
  of: Resource | Abstract,
  type: string,
  selections: SelectionSets,
  context: PlanContext,
  place: string,
): RequestedGroupSelection[] {
  return context
    .collect(selections, (name) => name === type)
    .map((field): RequestedGroupSelection => {
      const { key, name } = field
      const at = `${place}.${key}`
      if (name === 'count') return { kind: 'measure', key, measure: name, path: [], place: at }
      if (name === 'key')
        return { kind: 'object', key, selections: readKeyFields(of, [], subselections(field), context, at) }
      if (!isFieldMeasure(name)) return { kind: 'constant', key, value: type }
      return {
        kind: 'object',
        key,
        selections: readMeasured(name, measureTypeOf(name, of), subselections(field), context, at),
      }
    })
}

function readMeasured(
  measure: FieldMeasure,
  type: string,
  selections: SelectionSets,
  context: PlanContext,
  place: string,
): RequestedGroupSelection[] {
  return context
    .collect(selections, (name) => name === type)
    .map(({ key, name }): RequestedGroupSelection => {
      if (name === '__typename') return { kind: 'constant', key, value: type }
      return { kind: 'measure', key, measure, path: [name], place: `${place}.${key}` }
    })
}

function readKeyFields(
  of: Resource | Abstract,
  path: readonly string[],
  selections: SelectionSets,
  context: PlanContext,
  place: string,
): RequestedGroupSelection[] {
  const type = aggregateTypes(of).key
  return context
    .collect(selections, (name) => name === type)
    .map((field): RequestedGroupSelection => {
      const { key, name } = field
      const at = `${place}.${key}`
      if (name === '__typename') return { kind: 'constant', key, value: type }
      const found = of.fields.get(name)
      const inner = [...path, name]
      if (found === undefined || found.kind === 'stored') return { kind: 'key', key, path: inner, place: at }
      return { kind: 'object', key, selections: readKeyFields(found.to, inner, subselections(field), context, at) }
    })
}
