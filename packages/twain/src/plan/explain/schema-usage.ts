// What of the contract a plan names: types, fields and operations, called as the list of differences calls them (`Post`,
// `Post.title`, `Query.topAuthors`). Who uses what is counted by it, and by it an answer tells of deprecations.

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
  /** What stands in the answer. Of a default representation nobody chose it. */
  readonly selected: ReadonlySet<string>
  /** What the request says beside that: types, filters, orders, what is written, operations. */
  readonly referenced: ReadonlySet<string>
}

export type AnyPlan = Plan | SubscriptionPlan | CustomCall

/** Of a door's plan, before `authorize` puts the contract's own rules into it. */
export function schemaUsageOf(plan: AnyPlan): SchemaUsage {
  const answered = new Set<string>()
  const given = new Set<string>()
  nameAll(plan)
  return { selected: answered, referenced: given }

  function nameAll(asked: AnyPlan): void {
    switch (asked.kind) {
      case 'one':
        given.add(asked.of.name)
        selections(asked.of, asked.selections)
        return
      case 'many':
        many(asked)
        return
      case 'write':
        write(asked)
        return
      case 'batch':
        for (const one of asked.writes) write(one)
        return
      case 'subscription':
        given.add(asked.of.name)
        if (asked.where !== null) where(asked.of, asked.where)
        selections(asked.of, asked.selections)
        return
      case 'call':
        given.add(`${asked.operation.root}.${asked.operation.name}`)
        result(asked.result, asked.operation.type)
        return
      default:
        unreachable(asked)
    }
  }

  function write({ of, set, answer }: WritePlan): void {
    given.add(of.name)
    for (const member of set) given.add(pathOf(member.field))
    for (const { field } of setFields(set)) given.add(pathOf(field))
    selections(of, answer)
  }

  function many({ of, within, where: filter, order, shape }: PageRead): void {
    given.add(of.name)
    if (within !== null) given.add(pathOf(within.field))
    if (filter !== null) where(of, filter)
    for (const key of order) if (key.kind === 'field') fields(of, key.field, given)
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
      given.add(one.of.name)
      selections(one.of, one.selections)
      if (of.kind === 'abstract')
        for (const selection of one.selections) if ('field' in selection) shared(of, selection.field, answered)
    }
  }

  function selections(of: Resource, list: readonly Selection[]): void {
    for (const selection of list) {
      if (!('field' in selection)) continue
      answered.add(`${of.name}.${selection.field.name}`)
      if (selection.kind === 'value') values(selection.field.type, selection.selections)
      if (selection.kind === 'one') cases(selection.field.to, selection.types)
      if (selection.kind === 'many') many(selection.read)
      if (selection.kind === 'computed') result(selection.result, selection.field.type)
    }
  }

  function result(asked: CustomResult, type: CustomCall['operation']['type']): void {
    if (asked.kind === 'rows') many(asked.read)
    if (asked.kind === 'value' && type.kind === 'stored') values(type.type, asked.selections)
  }

  function values(type: StoredType, list: readonly ValueSelection[]): void {
    const value = valueTypeIn(type)
    for (const selection of list) {
      if (value === null || selection.kind !== 'field') continue
      answered.add(`${value.name}.${selection.field.name}`)
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
        else fields(of, condition.target, given)
        return
      case 'through':
      case 'some':
      case 'none':
        fields(of, condition.field, given)
        if (condition.where !== null) where(condition.field.to, condition.where)
        return
      case 'search':
        for (const { field } of condition.fields) given.add(pathOf(field))
        return
      case 'type':
        given.add(condition.of.name)
        return
      case 'constant':
      case 'viewer':
        return
      default:
        unreachable(condition)
    }
  }

  function target(of: Resource | Abstract, { field, inside }: ComparedField): void {
    fields(of, field, given)
    let type: StoredType = field.type
    for (const inner of inside) type = insideOf(type, inner)
  }

  function insideOf(type: StoredType, inner: ValueField): StoredType {
    const value = valueTypeIn(type)
    if (value !== null) given.add(`${value.name}.${inner.name}`)
    return inner.type
  }

  /** Over an interface or a union a field is that of each member (`Where`). */
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
