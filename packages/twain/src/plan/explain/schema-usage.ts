// The types, fields and operations that a plan uses, by the names of schema comparison (`Post`, `Post.title`,
// `Query.topAuthors`). Usage counts and deprecation headers are made of it.

import { unreachable } from '#base'
import type { Abstract, AnyField, Field, Resource, StoredType, ValueField } from '#model'
import { valueTypeIn } from '../build/default-selection.ts'
import {
  type ComparedField,
  type ConnectionSelection,
  type CustomCall,
  type CustomResult,
  type PageRead,
  type PageShape,
  type Plan,
  type Selection,
  type SubscriptionPlan,
  setFields,
  type TypeSelection,
  type ValueSelection,
  type Where,
  type WritePlan,
} from '../plan.ts'

export interface SchemaUsage {
  /** What the result has. The client did not choose the fields of a default representation. */
  readonly selected: ReadonlySet<string>
  /** What else the request names: types, filters, orders, written fields, operations. */
  readonly referenced: ReadonlySet<string>
}

export type AnyPlan = Plan | SubscriptionPlan | CustomCall

/** For the plan of an adapter, before `authorize` puts rules into it. */
export function schemaUsageOf(plan: AnyPlan): SchemaUsage {
  const selected = new Set<string>()
  const referenced = new Set<string>()
  visitPlan()
  return { selected, referenced }

  function visitPlan(): void {
    switch (plan.kind) {
      case 'one':
        referenced.add(plan.of.name)
        selections(plan.of, plan.selections)
        return
      case 'many':
        many(plan)
        return
      case 'write':
        write(plan)
        return
      case 'batch':
        for (const one of plan.writes) write(one)
        return
      case 'subscription':
        referenced.add(plan.of.name)
        if (plan.where !== null) where(plan.of, plan.where)
        selections(plan.of, plan.selections)
        return
      case 'call':
        referenced.add(`${plan.operation.root}.${plan.operation.name}`)
        result(plan.result, plan.operation.type)
        return
      default:
        unreachable(plan)
    }
  }

  function write({ of, set, answer }: WritePlan): void {
    referenced.add(of.name)
    for (const member of set) referenced.add(pathOf(member.field))
    for (const { field } of setFields(set)) referenced.add(pathOf(field))
    selections(of, answer)
  }

  function many({ of, within, where: filter, order, shape }: PageRead): void {
    referenced.add(of.name)
    if (within !== null) referenced.add(pathOf(within.field))
    if (filter !== null) where(of, filter)
    for (const key of order) if (key.kind === 'field') fields(of, key.field, referenced)
    inShape(of, shape)
  }

  function inShape(of: Resource | Abstract, shape: PageShape): void {
    if (shape.kind === 'list') cases(of, shape.types)
    else for (const member of shape.selections) if (member.kind === 'edges') inEdges(of, member)
  }

  function inEdges(of: Resource | Abstract, { selections }: ConnectionSelection & { kind: 'edges' }): void {
    for (const member of selections) if (member.kind === 'node') cases(of, member.types)
  }

  function cases(of: Resource | Abstract, list: readonly TypeSelection[]): void {
    for (const one of list) {
      referenced.add(one.of.name)
      selections(one.of, one.selections)
      if (of.kind === 'abstract')
        for (const selection of one.selections) if ('field' in selection) shared(of, selection.field, selected)
    }
  }

  function selections(of: Resource, list: readonly Selection[]): void {
    for (const selection of list) {
      if (!('field' in selection)) continue
      selected.add(`${of.name}.${selection.field.name}`)
      if (selection.kind === 'value') values(selection.field.type, selection.selections)
      if (selection.kind === 'one') cases(selection.field.to, selection.types)
      if (selection.kind === 'many') many(selection.read)
      if (selection.kind === 'computed') result(selection.result, selection.field.type)
    }
  }

  function result(custom: CustomResult, type: CustomCall['operation']['type']): void {
    if (custom.kind === 'rows') many(custom.read)
    if (custom.kind === 'value' && type.kind === 'stored') values(type.type, custom.selections)
  }

  function values(type: StoredType, list: readonly ValueSelection[]): void {
    const value = valueTypeIn(type)
    for (const selection of list) {
      if (value === null || selection.kind !== 'field') continue
      selected.add(`${value.name}.${selection.field.name}`)
      if (selection.selections !== null) values(selection.field.type, selection.selections)
    }
  }

  function where(of: Resource | Abstract, condition: Where): void {
    switch (condition.kind) {
      case 'and':
      case 'or':
        for (const part of condition.of) where(of, part)
        return
      case 'not':
        where(of, condition.of)
        return
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
        if (condition.where !== null) where(condition.field.to, condition.where)
        return
      case 'search':
        for (const { field } of condition.fields) referenced.add(pathOf(field))
        return
      case 'type':
        referenced.add(condition.of.name)
        if (condition.where !== undefined) where(condition.of, condition.where)
        return
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
