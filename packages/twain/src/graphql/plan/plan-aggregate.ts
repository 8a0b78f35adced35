// `ordersAggregate` and `ordersGroupBy` → GroupRead: the arguments of the field, and what is selected of the groups.

import { isRecord } from '#base'
import { type Abstract, type FieldMeasure, isFieldMeasure, type Resource } from '#model'
import { aggregateTypes, measureTypeOf } from '#model/names'
import type { GroupRead } from '#plan'
import {
  type PlanBuilder,
  planGroups,
  planSearch,
  planWhere,
  type RequestedCondition,
  type RequestedGroupOrder,
  type RequestedGroupSelection,
  type RequestedKey,
} from '#plan/build'
import { type SelectedField, type SelectionSets, subselections } from '../document/selection.ts'
import type { FieldArguments, PlanContext } from './plan-context.ts'

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
  const by = kind === 'aggregate' ? null : readKeys(args, builder, `${place}.by`)
  const type = kind === 'aggregate' ? aggregateTypes(of).aggregate : aggregateTypes(of).group
  const requested = {
    where,
    by,
    timeZone: args.leaf('timeZone'),
    having: readHaving(args.tree('having'), `${place}.having`),
    orderBy: readOrder(args.value('orderBy'), builder, `${place}.orderBy`),
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

/** `[{status: VALUE}, {customer: {country: VALUE}}]`: each key names one field (`@oneOf`). */
function readKeys(args: FieldArguments, builder: PlanBuilder, place: string): RequestedKey[] {
  const value = args.value('by')
  const keys = Array.isArray(value) ? value : [value]
  if (keys.length === 0)
    builder.problem(place, 'REQUIRED', 'must name a key; without one, the aggregate of the list is it.')
  return keys.flatMap((key, index) => {
    const found = leafIn(key)
    if (found === null) builder.problem(`${place}.${index}`, 'REQUIRED', 'must name one field.')
    return found === null ? [] : [{ path: found.path, part: found.word, place: `${place}.${index}` }]
  })
}

/** The one leaf of objects inside each other, and the path to it. An undefined variable is none. */
function leafIn(tree: unknown): { path: string[]; word: string } | null {
  const path: string[] = []
  let inner = tree
  while (isRecord(inner)) {
    const [member] = Object.entries(inner).filter(([, value]) => value !== undefined)
    if (member === undefined) return null
    path.push(member[0])
    inner = member[1]
  }
  return typeof inner === 'string' && path.length > 0 ? { path, word: inner } : null
}

/** `{count: {gte: 5}, sum: {total: {gt: "100"}}}`. */
function readHaving(tree: unknown, place: string): RequestedCondition[] {
  if (!isRecord(tree)) return []
  return members(tree).flatMap(([measure, inner]) => {
    const at = `${place}.${measure}`
    if (measure === 'count') return operators('count', [], inner, at)
    return members(inner).flatMap(([field, leaves]) => operators(measure, [field], leaves, `${at}.${field}`))
  })
}

function operators(measure: string, path: string[], tree: unknown, place: string): RequestedCondition[] {
  return members(tree).map(([operator, leaf]) => ({ measure, path, operator, leaf, place: `${place}.${operator}` }))
}

function members(tree: unknown): [string, unknown][] {
  return isRecord(tree) ? Object.entries(tree).filter(([, value]) => value !== undefined) : []
}

/** `[{sum: {total: DESC}}, {count: ASC}, {key: {status: ASC}}]`. */
function readOrder(value: unknown, builder: PlanBuilder, place: string): RequestedGroupOrder[] {
  if (value === undefined || value === null) return []
  const keys = Array.isArray(value) ? value : [value]
  return keys.flatMap((key, index) => {
    const found = leafIn(key)
    const at = `${place}.${index}`
    if (found === null) {
      builder.problem(at, 'REQUIRED', 'must name one measure or key, with a direction.')
      return []
    }
    const [first, ...path] = found.path
    return [
      { measure: first === 'key' ? null : first!, path, direction: found.word, place: `${at}.${found.path.join('.')}` },
    ]
  })
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
