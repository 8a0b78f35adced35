// A filter as both faces write it (`{title: {eq: "x"}, author: {name: {contains: "A"}}, not: {…}}`) → Where.
// Leaves are raw values or Sourced ones; each becomes a slot, so that the filter's shape is the plan and its values are not.

import { didYouMean, isRecord, unreachable } from '#base'
import type { Abstract, Field, LinksField, Resource, StoredType, ToManyField, ValueField } from '#model'
import { countConditions } from '../limit/count-conditions.ts'
import type { ComparedField, CompareOp, ParameterType, Where } from '../plan.ts'
import { isHidden, noteIfHidden } from '../visibility.ts'
import { comparedType, type FilterOperator, operatorsOf } from './operators.ts'
import type { PlanBuilder } from './plan-builder.ts'
import { currentValue } from './request-value.ts'

/** Null when the filter asks for nothing. */
export function planWhere(tree: unknown, of: Resource | Abstract, builder: PlanBuilder, place: string): Where | null {
  // A row that is there is never null.
  const isNull: FilterLevel['isNull'] = (is) => ({ kind: 'constant', is: !is })
  const spot: FilterPosition = {
    builder: builder,
    depth: 0,
    place,
    remaining: { conditions: maxFilterConditions, told: false },
  }
  const where = planRow(tree, of, spot, place, isNull)
  if (where !== null && !spot.remaining.told) {
    count(spot, countConditions(where) - (maxFilterConditions - spot.remaining.conditions)) // what is written down more than once
    isFull(spot)
  }
  return where
}

/** A door that joins several filters asks this of the whole. */
export function limitConditions(where: Where, builder: PlanBuilder, place: string): void {
  if (countConditions(where) <= maxFilterConditions) return
  builder.problem(place, 'RANGE', `The filter has more than ${maxFilterConditions} conditions. ${inHint}`)
}

/** What a statement can hold, and what is compiled in a few milliseconds: SQLite takes an expression of 1000 levels, and a
 *  filter through references costs several for each. Levels are those of all kinds: branches, references, lists, values. */
const maxFilterConditions = 200
const maxRequestConditions = 400
const maxFilterDepth = 16

/** How far inside the filter we are. */
interface FilterPosition {
  builder: PlanBuilder
  depth: number
  /** Where the whole filter stands. */
  place: string
  /** How many conditions the filter may still have; counted while it is read, so that a huge one is not read to its end. */
  remaining: { conditions: number; told: boolean }
}

/** What a level of the tree stands for: a row, a referred row, or a value inside a row. */
interface FilterLevel {
  name: string
  names: Iterable<string>
  isNull(is: boolean, path: string): Where | null
  /** Whether it can be asked if this is the viewer's own account. */
  isViewer?: true
  /** Undefined: there is no such field. */
  field(name: string, sub: unknown, path: string): Where | null | undefined
}

function planRow(
  tree: unknown,
  of: Resource | Abstract,
  spot: FilterPosition,
  place: string,
  isNull: FilterLevel['isNull'],
): Where | null {
  const { visibility } = spot.builder
  return planLevel(tree, spot, place, {
    name: of.name,
    names: [...of.fields.values()].filter((field) => !isHidden(field, of, visibility)).map(({ name }) => name),
    isNull,
    ...(canBeAccount(of, visibility.account) ? { isViewer: true } : {}),
    field: (name, sub, path) => {
      const field = of.fields.get(name)
      if (field === undefined || noteIfHidden(field, of, spot.builder)) return undefined
      return planField(field, sub, deeper(spot), path)
    },
  })
}

function canBeAccount(of: Resource | Abstract, account: Resource | null): boolean {
  return of === account || (of.kind === 'abstract' && account !== null && of.members.includes(account))
}

function planLevel(tree: unknown, spot: FilterPosition, place: string, level: FilterLevel): Where | null {
  const { builder } = spot
  if (tree === null || tree === undefined) return null
  if (spot.depth > maxFilterDepth) {
    builder.problem(place, 'RANGE', `The filter is nested deeper than ${maxFilterDepth} levels.`)
    return null
  }
  if (!isRecord(tree)) {
    builder.problem(place, 'TYPE', `A filter of ${level.name} must be an object.`)
    return null
  }
  const parts: Where[] = []
  for (const [name, sub] of Object.entries(tree)) {
    if (sub === undefined) continue
    if (isFull(spot)) break
    const path = place === '' ? name : `${place}.${name}`
    const part = planMember(name, sub, path)
    if (part !== null) parts.push(part)
  }
  return join('and', parts)

  function planMember(name: string, sub: unknown, path: string): Where | null {
    switch (name) {
      case 'and':
      case 'or': {
        const branches = Array.isArray(sub) ? sub : [sub]
        const planned: Where[] = []
        for (const [index, branch] of branches.entries()) {
          if (isFull(spot)) break
          planned.push(planBranch(branch, `${path}.${index}`))
        }
        return join(name, planned) ?? { kind: 'constant', is: name === 'and' }
      }
      case 'not':
        return { kind: 'not', of: planBranch(sub, path) }
      case 'isNull': {
        const is = readFlag(sub, builder, path)
        count(spot)
        return is === null ? null : level.isNull(is, path)
      }
      default: {
        if (name === 'isViewer' && level.isViewer) {
          count(spot)
          const is = readFlag(sub, builder, path)
          return is === false ? { kind: 'not', of: { kind: 'viewer' } } : is === null ? null : { kind: 'viewer' }
        }
        const part = level.field(name, sub, path)
        if (part !== undefined) return part
        const words = [...level.names, 'and', 'or', 'not', 'isNull', ...(level.isViewer ? ['isViewer'] : [])]
        builder.problem(path, 'UNKNOWN', `"${name}" is not a field of ${level.name}.${didYouMean(name, words)}`)
        return null
      }
    }
  }

  /** A branch that asks for nothing holds for every row: it must stay, or `or: [{}, …]` would lose rows. */
  function planBranch(branch: unknown, path: string): Where {
    if (branch === null) refuseNull(builder, path)
    const planned = planLevel(branch, deeper(spot), path, level)
    if (planned === null) count(spot)
    return planned ?? { kind: 'constant', is: true }
  }
}

function planField(field: Field, sub: unknown, spot: FilterPosition, path: string): Where | null {
  const { builder } = spot
  if (sub === null) return refuseNull(builder, path)
  switch (field.kind) {
    case 'stored':
      return planTarget({ kind: 'target', field, inside: [] }, field.type, sub, spot, path)
    case 'reference':
    case 'inverse': {
      const nulls: Where[] = []
      let rest = sub
      if (isRecord(sub) && Object.hasOwn(sub, 'isNull')) {
        const { isNull, ...others } = sub
        const is = readFlag(isNull, builder, `${path}.isNull`)
        if (is !== null) nulls.push({ kind: 'null', target: field, is })
        count(spot)
        rest = others
      }
      // Inside, we speak of a row that is there: there is no way to say `or it is not` from there.
      const where = planRow(rest, field.to, spot, path, (_is, place) => {
        const outside = `{"${field.name}": {"isNull": …}}`
        builder.problem(
          place,
          'UNKNOWN',
          `can't stand inside "and", "or" or "not" of a reference; put ${outside} there.`,
        )
        return null
      })
      if (where !== null) count(spot)
      return join('and', where === null ? nulls : [...nulls, { kind: 'through', field, where }])
    }
    case 'many':
    case 'links':
      return planList(field, sub, spot, path)
    default:
      return unreachable(field)
  }
}

function planList(field: ToManyField | LinksField, sub: unknown, spot: FilterPosition, path: string): Where | null {
  const { builder } = spot
  if (!isRecord(sub)) {
    builder.problem(path, 'TYPE', 'A filter of a list must be an object with "some" or "none".')
    return null
  }
  const parts: Where[] = []
  for (const [word, inner] of Object.entries(sub)) {
    if (inner === undefined) continue
    if (isFull(spot)) break
    const place = `${path}.${word}`
    if (word !== 'some' && word !== 'none') {
      const near = didYouMean(word, ['some', 'none'])
      builder.problem(place, 'UNKNOWN', `"${word}" is not one of "some", "none".${near}`)
    } else if (inner === null) {
      refuseNull(builder, place)
    } else {
      const where = planRow(inner, field.to, spot, place, (is) => ({ kind: 'constant', is: !is }))
      count(spot)
      parts.push({ kind: word, field, where })
    }
  }
  return join('and', parts)
}

function planTarget(
  target: ComparedField,
  type: StoredType,
  sub: unknown,
  spot: FilterPosition,
  path: string,
): Where | null {
  const { builder } = spot
  if (sub === null) return refuseNull(builder, path)
  if (type.kind === 'value') {
    return planLevel(sub, spot, path, {
      name: type.value.name,
      names: type.value.fields.keys(),
      isNull: (is) => ({ kind: 'null', target, is }),
      field: (name, inner, place) => {
        const member = type.value.fields.get(name)
        if (member === undefined) return undefined
        return planTarget(memberOf(target, member), member.type, inner, deeper(spot), place)
      },
    })
  }
  if (!isRecord(sub)) {
    builder.problem(path, 'TYPE', 'A filter of a field must be an object such as {"eq": …}.')
    return null
  }
  const known = operatorsOf(type)
  const parts: Where[] = []
  for (const [word, leaf] of Object.entries(sub)) {
    if (leaf === undefined) continue
    if (isFull(spot)) break
    count(spot)
    const place = `${path}.${word}`
    if (!known.includes(word as FilterOperator)) {
      const near = didYouMean(word, known)
      builder.problem(
        place,
        'UNKNOWN',
        `"${word}" is not an operator of this field; there are ${known.join(', ')}.${near}`,
      )
    } else if (word === 'isNull') {
      const is = readFlag(leaf, builder, place)
      if (is !== null) parts.push({ kind: 'null', target, is })
    } else if (currentValue(leaf) === null) {
      refuseNull(builder, place)
    } else {
      const op = word as CompareOp
      parts.push({ kind: 'compare', target, op, parameter: builder.parameter(parameterTypeOf(op, type), leaf, place) })
    }
  }
  return join('and', parts)
}

function deeper(spot: FilterPosition): FilterPosition {
  return { ...spot, depth: spot.depth + 1 }
}

/** Each comparison counts, each road to other rows, and each empty branch: all stand in the statement. */
function count({ builder, remaining: left }: FilterPosition, conditions = 1): void {
  left.conditions -= conditions
  builder.filters.conditions += conditions
}

/** Whether the rest of the filter need not be read: the request is refused already, or is now. */
function isFull({ builder, place, remaining: left }: FilterPosition): boolean {
  const ofAll = builder.filters.conditions > maxRequestConditions
  if (left.conditions >= 0 && !ofAll) return builder.hasEnoughProblems
  if (left.told) return true
  left.told = true
  const most =
    left.conditions < 0
      ? `${maxFilterConditions} conditions`
      : `${maxRequestConditions} conditions together with the other filters`
  builder.problem(place, 'RANGE', `The filter has more than ${most}. ${inHint}`)
  return true
}

const inHint = '"in" takes many values as one.'

/** A null that was passed over would widen the answer without a word. */
function refuseNull(builder: PlanBuilder, path: string): null {
  builder.problem(path, 'TYPE', 'must not be null; {"isNull": true} asks for rows without a value.')
  return null
}

function memberOf(target: ComparedField, member: ValueField): ComparedField {
  return { kind: 'target', field: target.field, inside: [...target.inside, member] }
}

function parameterTypeOf(op: CompareOp, type: StoredType): ParameterType {
  return op === 'in' || op === 'notIn' ? { kind: 'types', type } : { kind: 'type', type: comparedType(op, type) }
}

/** A flag changes the shape of the filter, so it is read now and is no slot. */
function readFlag(leaf: unknown, builder: PlanBuilder, path: string): boolean | null {
  const flag = currentValue(leaf)
  if (typeof flag === 'boolean') return flag
  builder.problem(path, 'TYPE', 'must be true or false.')
  return null
}

function join(kind: 'and' | 'or', parts: Where[]): Where | null {
  if (parts.length === 0) return null
  return parts.length === 1 ? parts[0]! : { kind, of: parts }
}

/** The type that a filter's target has. */
export function targetType(target: ComparedField): StoredType {
  return target.inside.at(-1)?.type ?? target.field.type
}
