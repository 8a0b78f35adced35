// The selections of rows: fields, values, referenced rows, and lists of rows with their own filter and page. They keep the
// order of the request, and parameters are added depth-first in that order (see plan-page.ts).

import {
  type Abstract,
  type ComputedField,
  type CustomResultType,
  type Field,
  isFile,
  type LinksField,
  membersOf,
  type ReferenceField,
  type Resource,
  type StoredType,
  type ToManyField,
  type ValueType,
} from '#model'
import { nodeInterface } from '#model/names'
import type { CustomResult, PageRead, Parameter, Selection, TypeSelection, ValueSelection } from '#plan'
import { addTypeKeys, computedInputs, type PlanBuilder, planArguments, planImage, planNamedRows } from '#plan/build'
import { type SelectedField, type SelectionSets, subselections } from '../document/selection.ts'
import { nodeIdField } from '../schema/node-types.ts'
import { planAggregate } from './plan-aggregate.ts'
import { planConnection } from './plan-connection.ts'
import type { PlanContext } from './plan-context.ts'
import { historyField, planHistoryField } from './plan-history.ts'
import { planPage } from './plan-page.ts'

export function planSelections(
  of: Resource,
  selections: SelectionSets,
  context: PlanContext,
  place: string,
): Selection[] {
  const isNode = context.nodes?.has(of) === true
  const isOf = (type: string) =>
    type === of.name || of.memberOf.some(({ name }) => name === type) || (isNode && type === nodeInterface)
  return context.collect(selections, isOf).map((selected) => planSelection(of, selected, context, place))
}

/** A list or a connection: a root field, or a field of a row. `parent` is the type that has the field. */
export function planMany(
  of: Resource | Abstract,
  kind: 'list' | 'connection',
  selected: SelectedField,
  parent: string,
  context: PlanContext,
  place: string,
): PageRead {
  const args = context.argumentsOf(selected.node, parent)
  const page = planPage(of, kind, args, context, place)
  const rows = (selections: SelectionSets, at: string) => planTypeSelections(of, selections, context, at)
  const shape: PageRead['shape'] =
    kind === 'list'
      ? { kind, types: rows(subselections(selected), place) }
      : { kind, selections: planConnection(of.name, subselections(selected), context, place, rows) }
  return { kind: 'many', of, within: null, ...page, shape }
}

/** One type for a resource, one for each member of an interface or a union. */
export function planTypeSelections(
  of: Resource | Abstract,
  selections: SelectionSets,
  context: PlanContext,
  place: string,
): TypeSelection[] {
  const types = membersOf(of).map((member) => {
    context.builder.countType()
    return { of: member, selections: planSelections(member, selections, context, place) }
  })
  return addTypeKeys(types)
}

function planSelection(of: Resource, selected: SelectedField, context: PlanContext, parentPlace: string): Selection {
  const { key, name } = selected
  const place = `${parentPlace}.${key}`
  if (name === '__typename') return { kind: 'constant', key, value: of.name }
  if (name === '_version') return { kind: 'version', key }
  if (name === nodeIdField && context.nodes !== null) {
    return { kind: 'globalId', key, prefix: context.nodes.prefixOf(of) }
  }
  if (name === historyField) return { kind: 'changes', key, read: planHistoryField(of, selected, context, place) }
  if (name === 'url' && isFile(of)) return { kind: 'url', key, ...imageOf(of.name, selected, context, place) }
  if (of.system?.issued?.some((issued) => issued.name === name)) return { kind: 'constant', key, value: null }
  const { builder } = context
  const field = builder.fieldNamed(name, of.fields, of)
  if (field !== undefined) return planField(field, selected, context, place)
  const computed = builder.fieldNamed(name, of.computed, of)
  if (computed !== undefined) return planComputed(computed, selected, context, place)
  const state = builder.transitionsNamed(name, of)
  if (state !== undefined) return { kind: 'transitions', key, field: state }
  const aggregate = aggregateNamed(of, name, builder)
  if (aggregate !== null) {
    const { field: list, kind } = aggregate
    return { kind: 'groups', key, field: list, read: planAggregate(list.to, kind, selected, of.name, context, place) }
  }
  const list = listOfConnection(of, name, builder)
  return { kind: 'many', key, field: list, read: planMany(list.to, 'connection', selected, of.name, context, place) }
}

function planComputed(field: ComputedField, selected: SelectedField, context: PlanContext, place: string): Selection {
  const fieldArguments = context.argumentsOf(selected.node, field.owner.name)
  const args = planArguments(field, context.builder, place, (name) => fieldArguments.leaf(name))
  const result = planCustomResult(field.type, selected, context, place)
  return { kind: 'computed', key: selected.key, field, from: computedInputs(field), args, result }
}

/** The selections of the result of custom code. */
export function planCustomResult(
  type: CustomResultType,
  selected: SelectedField,
  context: PlanContext,
  place: string,
): CustomResult {
  if (type.kind !== 'stored') {
    return planNamedRows(type.of, context.builder, place, () =>
      planTypeSelections(type.of, subselections(selected), context, place),
    )
  }
  const value = valueIn(type.type)
  return value === null
    ? { kind: 'leaf' }
    : { kind: 'value', selections: planValueSelections(value, subselections(selected), context) }
}

function planField(field: Field, selected: SelectedField, context: PlanContext, place: string): Selection {
  const { key } = selected
  switch (field.kind) {
    case 'stored': {
      const value = valueIn(field.type)
      if (value === null) return { kind: 'field', key, field }
      return { kind: 'value', key, field, selections: planValueSelections(value, subselections(selected), context) }
    }
    case 'reference':
      return { kind: 'one', key, field, types: planReferenced(field, selected, context, place) }
    case 'inverse':
      return { kind: 'one', key, field, types: planTypeSelections(field.to, subselections(selected), context, place) }
    case 'many':
    case 'links':
      return { kind: 'many', key, field, read: planMany(field.to, 'list', selected, field.owner.name, context, place) }
  }
}

/** `photo(width: 320) { url }` is short for `photo { url(width: 320) }`. A `url` with arguments of its own keeps them. */
function planReferenced(
  field: ReferenceField,
  selected: SelectedField,
  context: PlanContext,
  place: string,
): TypeSelection[] {
  const types = planTypeSelections(field.to, subselections(selected), context, place)
  if (!isFile(field.to) || (selected.node.arguments ?? []).length === 0) return types
  return types.map(({ of, selections }) => ({
    of,
    selections: selections.map((one) =>
      one.kind === 'url' && one.image === undefined
        ? { ...one, ...imageOf(field.owner.name, selected, context, place) }
        : one,
    ),
  }))
}

/** The variant that the arguments of a field ask for. */
function imageOf(parent: string, selected: SelectedField, context: PlanContext, place: string): { image?: Parameter } {
  const args = context.argumentsOf(selected.node, parent)
  const image = planImage(context.builder, place, (name) => args.leaf(name))
  return image === undefined ? {} : { image }
}

/** `commentsAggregate` and `commentsGroupBy` are aggregates of the list `comments`. */
function aggregateNamed(
  of: Resource,
  name: string,
  builder: PlanBuilder,
): { field: ToManyField | LinksField; kind: 'aggregate' | 'groups' } | null {
  const [, list, suffix] = /^(.+?)(Aggregate|GroupBy)$/.exec(name) ?? []
  const field = list === undefined ? undefined : builder.fieldNamed(list, of.fields, of)
  if (field?.kind !== 'many' && field?.kind !== 'links') return null
  return { field, kind: suffix === 'Aggregate' ? 'aggregate' : 'groups' }
}

/** `commentsConnection` is a connection over the list `comments`. */
function listOfConnection(of: Resource, name: string, builder: PlanBuilder): ToManyField | LinksField {
  const field = builder.fieldNamed(name.replace(/Connection$/, ''), of.fields, of)
  if (field?.kind === 'many' || field?.kind === 'links') return field
  throw new Error(`${of.name} has no field ${name}, although the document is valid`)
}

function planValueSelections(of: ValueType, selections: SelectionSets, context: PlanContext): ValueSelection[] {
  return context
    .collect(selections, (type) => type === of.name)
    .map((selected): ValueSelection => {
      const { key, name } = selected
      const field = context.builder.fieldNamed(name, of.fields, of)
      if (field === undefined) return { kind: 'constant', key, value: of.name }
      const value = valueIn(field.type)
      return {
        kind: 'field',
        key,
        field,
        selections: value === null ? null : planValueSelections(value, subselections(selected), context),
      }
    })
}

/** The value type inside a stored type, or null. */
function valueIn(type: StoredType): ValueType | null {
  if (type.kind === 'list') return valueIn(type.of)
  return type.kind === 'value' ? type.value : null
}
