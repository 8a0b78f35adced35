// The types, fields and operations that a plan uses, by the names of schema comparison (`Post`, `Post.title`,
// `Query.topAuthors`). Usage counts and deprecation headers are made of it.

import { unreachable } from '#base'
import type { Abstract, AnyField, Field, Resource, StoredType, ValueField } from '#model'
import { valueTypeIn } from '../build/default-selection.ts'
import {
  type ComparedField,
  type GroupedField,
  type GroupRead,
  type PageRead,
  type Selection,
  setFields,
  type TypeSelection,
  type ValueSelection,
  type Where,
  type WritePlan,
} from '../plan.ts'
import { type AnyPlan, groupedFields, visitPlan } from '../visit-plan.ts'

export interface SchemaUsage {
  /** What the result has. The client did not choose the fields of a default representation. */
  readonly selected: ReadonlySet<string>
  /** What else the request names: types, filters, orders, written fields, operations. */
  readonly referenced: ReadonlySet<string>
}

/** For the plan of an adapter, before `authorize` puts rules into it. */
export function schemaUsageOf(plan: AnyPlan): SchemaUsage {
  const selected = new Set<string>()
  const referenced = new Set<string>()
  visitPlan(plan, {
    root: ({ name }) => referenced.add(name),
    call({ operation, result }) {
      referenced.add(`${operation.root}.${operation.name}`)
      if (result.kind === 'value' && operation.type.kind === 'stored') values(operation.type.type, result.selections)
    },
    write,
    key: ({ field }) => referenced.add(pathOf(field)),
    page,
    groups,
    where,
    type,
    selection,
  })
  return { selected, referenced }

  function write({ set, update = [] }: WritePlan): void {
    for (const member of [...set, ...update]) referenced.add(pathOf(member.field))
    for (const { field } of setFields([...set, ...update])) referenced.add(pathOf(field))
  }

  function page({ of, within, order, distinct = [] }: PageRead): void {
    referenced.add(of.name)
    if (within !== null) referenced.add(pathOf(within.field))
    for (const key of order) {
      if (key.kind === 'type') continue
      const steps = key.kind === 'field' ? [] : key.path.map(({ field }) => field)
      let from = of
      for (const step of steps) {
        fields(from, step, referenced)
        from = step.to
      }
      fields(from, key.field, referenced)
    }
    grouped(distinct, of)
  }

  function groups(read: GroupRead): void {
    referenced.add(read.of.name)
    if (read.within !== null) referenced.add(pathOf(read.within.field))
    grouped(groupedFields(read), read.of)
  }

  function grouped(targets: readonly GroupedField[], of: Resource | Abstract): void {
    for (const { through, field } of targets) {
      let holder = of
      for (const step of through) {
        fields(holder, step.field, referenced)
        holder = step.field.to
      }
      fields(holder, field, referenced)
    }
  }

  function type({ of: member, selections }: TypeSelection, of: Resource | Abstract): void {
    referenced.add(member.name)
    if (of.kind !== 'abstract') return
    for (const selection of selections) if ('field' in selection) shared(of, selection.field, selected)
  }

  function selection(selection: Selection, of: Resource): void {
    if (!('field' in selection)) return
    selected.add(`${of.name}.${selection.field.name}`)
    if (selection.kind === 'value') values(selection.field.type, selection.selections)
    if (selection.kind !== 'computed' || selection.result.kind !== 'value') return
    const { type } = selection.field
    if (type.kind === 'stored') values(type.type, selection.result.selections)
  }

  function values(type: StoredType, list: readonly ValueSelection[]): void {
    const value = valueTypeIn(type)
    for (const selection of list) {
      if (value === null || selection.kind !== 'field') continue
      selected.add(`${value.name}.${selection.field.name}`)
      if (selection.selections !== null) values(selection.field.type, selection.selections)
    }
  }

  function where(condition: Where, of: Resource | Abstract): void {
    switch (condition.kind) {
      case 'compare':
        target(of, condition.target)
        return
      case 'null':
        if (condition.target.kind === 'target') target(of, condition.target)
        else fields(of, condition.target, referenced)
        return
      case 'through':
      case 'some':
      case 'none':
        fields(of, condition.field, referenced)
        return
      case 'search':
        for (const { field } of condition.fields) referenced.add(pathOf(field))
        return
      case 'type':
        referenced.add(condition.of.name)
        return
      case 'and':
      case 'or':
      case 'not':
      case 'constant':
      case 'viewer':
      case 'live':
        return
      default:
        unreachable(condition)
    }
  }

  function target(of: Resource | Abstract, { field, inside }: ComparedField): void {
    fields(of, field, referenced)
    let type: StoredType = field.type
    for (const inner of inside) type = insideOf(type, inner)
  }

  function insideOf(type: StoredType, inner: ValueField): StoredType {
    const value = valueTypeIn(type)
    if (value !== null) referenced.add(`${value.name}.${inner.name}`)
    return inner.type
  }

  /** Over an interface or a union, a field stands for that of each member (`Where`). */
  function fields(of: Resource | Abstract, field: Field, into: Set<string>): void {
    if (of.kind === 'resource') {
      into.add(`${of.name}.${field.name}`)
      return
    }
    shared(of, field, into)
    for (const member of of.members) if (member.fields.has(field.name)) into.add(`${member.name}.${field.name}`)
  }

  function shared(of: Abstract, { name }: AnyField, into: Set<string>): void {
    if (of.fields.has(name) || of.computed.has(name)) into.add(`${of.name}.${name}`)
  }
}

function pathOf({ owner, name }: AnyField): string {
  return `${owner.name}.${name}`
}
