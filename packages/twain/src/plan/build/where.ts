// A filter of a request (`{title: {eq: "x"}, author: {name: {contains: "A"}}, not: {…}}`) → Where.
// Leaves are constants or RequestValues. Each becomes a parameter: the plan has the shape of the filter, not its values.

import { didYouMean, isRecord, unreachable } from '#base'
import {
  type Abstract,
  type CompareOp,
  comparedType,
  type Field,
  isJson,
  isJsonFlag,
  isJsonOperator,
  isJsonTextOperator,
  isListWord,
  isOpaque,
  isOperator,
  isView,
  type JsonOperator,
  jsonWords,
  type LinksField,
  type ListWord,
  listWords,
  operatorOf,
  operatorsOf,
  type Resource,
  type StoredType,
  type ToManyField,
  takesJsonList,
  typeWord,
  type ValueField,
} from '#model'
import { countConditions } from '../limit/count-conditions.ts'
import type { ComparedField, ParameterType, Where } from '../plan.ts'
import { isFiltered, noteIfHidden } from '../visibility.ts'
import type { PlanBuilder } from './plan-builder.ts'
import { currentValue, deriveValue } from './request-value.ts'
import { planTypeNames } from './where-types.ts'

/** Null: the filter has no condition. */
export function planWhere(tree: unknown, of: Resource | Abstract, builder: PlanBuilder, place: string): Where | null {
  // A row that exists is never null.
  const isNull: WhereLevel['isNull'] = (is) => ({ kind: 'constant', is: !is })
  const position: FilterPosition = {
    builder: builder,
    depth: 0,
    place,
    remaining: { conditions: maxFilterConditions, reported: false },
  }
  const where = planRow(tree, of, position, place, isNull)
  if (where !== null && !position.remaining.reported) {
    count(position, countConditions(where) - (maxFilterConditions - position.remaining.conditions)) // what the statement repeats for each type
    isFull(position)
  }
  return where
}

/** For an adapter that joins several filters. */
export function limitConditions(where: Where, builder: PlanBuilder, place: string): void {
  if (countConditions(where) <= maxFilterConditions) return
  builder.problem(place, 'RANGE', `The filter has more than ${maxFilterConditions} conditions. ${inHint}`)
}

/** Keep statements possible, and compiled in a few milliseconds. SQLite allows 1000 levels in an expression, and each reference of
 *  a filter takes several. Depth counts branches, references, lists and values. */
const maxFilterConditions = 200
const maxRequestConditions = 400
const maxFilterDepth = 16

/** The current position inside the filter. */
interface FilterPosition {
  builder: PlanBuilder
  depth: number
  /** The place of the filter in the request. */
  place: string
  /** Conditions that the filter may still have. They are counted while reading, so that a huge filter is not read to its end. */
  remaining: { conditions: number; reported: boolean }
}

/** A level of the filter: a row, a referenced row, or a value inside a row. */
interface WhereLevel {
  name: string
  names: Iterable<string>
  isNull(is: boolean, path: string): Where | null
  /** Whether the level has `isViewer`. */
  isViewer?: true
  /** Undefined: no such field. */
  field(name: string, sub: unknown, path: string): Where | null | undefined
}

function planRow(
  tree: unknown,
  of: Resource | Abstract,
  position: FilterPosition,
  place: string,
  isNull: WhereLevel['isNull'],
): Where | null {
  const { visibility } = position.builder
  return planLevel(tree, position, place, {
    name: of.name,
    names: [
      ...[...of.fields.values()].filter((field) => isFiltered(field, of, visibility)).map(({ name }) => name),
      ...(of.kind === 'abstract' ? [typeWord, ...of.members.map(({ name }) => name)] : []),
    ],
    isNull,
    ...(canBeAccount(of, visibility.account) ? { isViewer: true } : {}),
    field: (name, sub, path) => {
      const field = position.builder.fieldNamed(name, of.fields, of)
      if (field === undefined)
        return of.kind === 'abstract' ? planType(name, sub, of, deeper(position), path) : undefined
      if (isOpaque(field) || noteIfHidden(field, of, position.builder)) return undefined
      return planField(field, sub, deeper(position), path)
    },
  })
}

/** `_type`, or the name of a member with a filter of its rows. Undefined: neither. */
function planType(
  name: string,
  sub: unknown,
  of: Abstract,
  position: FilterPosition,
  path: string,
): Where | null | undefined {
  const { builder } = position
  const member = builder.typeNamed(name, of.members)
  if (name !== typeWord && member === undefined) return undefined
  if (sub === null) return refuseNull(builder, path)
  count(position)
  if (member === undefined) return planTypeNames(sub, of, builder, path)
  const where = planRow(sub, member, position, path, (_is, place) => {
    builder.problem(
      place,
      'UNKNOWN',
      `is not allowed here; {"${typeWord}": {"ne": "${member.name}"}} finds rows of other types.`,
    )
    return null
  })
  return { kind: 'type', of: member, ...(where === null ? {} : { where }) }
}

function canBeAccount(of: Resource | Abstract, account: Resource | null): boolean {
  return of === account || (of.kind === 'abstract' && account !== null && of.members.includes(account))
}

function planLevel(tree: unknown, position: FilterPosition, place: string, level: WhereLevel): Where | null {
  const { builder } = position
  if (tree === null || tree === undefined) return null
  if (position.depth > maxFilterDepth) {
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
    if (isFull(position)) break
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
          if (isFull(position)) break
          planned.push(planBranch(branch, `${path}.${index}`))
        }
        return join(name, planned) ?? { kind: 'constant', is: name === 'and' }
      }
      case 'not':
        return { kind: 'not', of: planBranch(sub, path) }
      case 'isNull': {
        const is = readFlag(sub, builder, path)
        count(position)
        return is === null ? null : level.isNull(is, path)
      }
      default: {
        if (name === 'isViewer' && level.isViewer) {
          count(position)
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

  /** A branch without conditions matches every row. It must stay, or `or: [{}, …]` would lose rows. */
  function planBranch(branch: unknown, path: string): Where {
    if (branch === null) refuseNull(builder, path)
    const planned = planLevel(branch, deeper(position), path, level)
    if (planned === null) count(position)
    return planned ?? { kind: 'constant', is: true }
  }
}

function planField(field: Field, sub: unknown, position: FilterPosition, path: string): Where | null {
  const { builder } = position
  if (sub === null) return refuseNull(builder, path)
  switch (field.kind) {
    case 'stored':
      return planTarget({ kind: 'target', field, inside: [] }, field.type, sub, position, path)
    case 'reference':
    case 'inverse': {
      const nulls: Where[] = []
      let rest = sub
      if (isRecord(sub) && Object.hasOwn(sub, 'isNull')) {
        const { isNull, ...others } = sub
        const is = readFlag(isNull, builder, `${path}.isNull`)
        if (is !== null) nulls.push({ kind: 'null', target: field, is })
        count(position)
        rest = others
      }
      // The inner filter is about a row that exists, so it can't express `or there is none`.
      const where = planRow(rest, field.to, position, path, (_is, place) => {
        const outside = `{"${field.name}": {"isNull": …}}`
        builder.problem(
          place,
          'UNKNOWN',
          `is not allowed inside "and", "or" or "not" of a reference; put ${outside} there.`,
        )
        return null
      })
      if (where !== null) count(position)
      return join('and', where === null ? nulls : [...nulls, { kind: 'through', field, where }])
    }
    case 'many':
    case 'links':
      return planList(field, sub, position, path)
    default:
      return unreachable(field)
  }
}

const quotedListWords = Object.keys(listWords)
  .map((word) => `"${word}"`)
  .join(', ')

function planList(field: ToManyField | LinksField, sub: unknown, position: FilterPosition, path: string): Where | null {
  const { builder } = position
  if (!isRecord(sub)) {
    builder.problem(path, 'TYPE', `A filter of a list must be an object with ${quotedListWords}.`)
    return null
  }
  const parts: Where[] = []
  for (const [word, inner] of Object.entries(sub)) {
    if (inner === undefined) continue
    if (isFull(position)) break
    const place = `${path}.${word}`
    if (!isListWord(word)) {
      const near = didYouMean(word, Object.keys(listWords))
      builder.problem(place, 'UNKNOWN', `"${word}" is not one of ${quotedListWords}.${near}`)
    } else if (inner === null) {
      refuseNull(builder, place)
    } else {
      const where = planRow(inner, field.to, position, place, (is) => ({ kind: 'constant', is: !is }))
      count(position)
      parts.push(listCondition(word, field, where))
    }
  }
  return join('and', parts)
}

/** Every row matches: there is none that does not. It stays a condition on the list, which the viewer may not read on each row. */
function listCondition(word: ListWord, field: ToManyField | LinksField, where: Where | null): Where {
  if (word !== 'every') return { kind: word, field, where }
  return { kind: 'none', field, where: where === null ? { kind: 'constant', is: false } : { kind: 'not', of: where } }
}

function planTarget(
  target: ComparedField,
  type: StoredType,
  sub: unknown,
  position: FilterPosition,
  path: string,
): Where | null {
  const { builder } = position
  if (sub === null) return refuseNull(builder, path)
  if (type.kind === 'value') {
    return planLevel(sub, position, path, {
      name: type.value.name,
      names: type.value.fields.keys(),
      isNull: (is) => ({ kind: 'null', target, is }),
      field: (name, inner, place) => {
        const member = builder.fieldNamed(name, type.value.fields, type.value)
        if (member === undefined) return undefined
        return planTarget(memberOf(target, member), member.type, inner, deeper(position), place)
      },
    })
  }
  if (!isRecord(sub)) {
    builder.problem(path, 'TYPE', 'A filter of a field must be an object such as {"eq": …}.')
    return null
  }
  if (isJson(type) && Object.hasOwn(sub, 'path')) return planJson(target, type, sub, position, path)
  const known = operatorsOf(type)
  const parts: Where[] = []
  for (const [word, leaf] of Object.entries(sub)) {
    if (leaf === undefined) continue
    if (isFull(position)) break
    count(position)
    const place = `${path}.${word}`
    if (!isOperator(word) || !known.includes(word)) {
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
    } else if (word === 'between') {
      count(position)
      parts.push(...planRange(target, type, leaf, builder, place))
    } else {
      const parameter = builder.parameter(parameterTypeOf(word, type, target), leaf, place)
      parts.push({ kind: 'compare', target, op: word, parameter })
    }
  }
  return join('and', parts)
}

/** Conditions on one value inside a JSON field. */
function planJson(
  target: ComparedField,
  type: StoredType,
  { path: at, ...words }: Record<string, unknown>,
  position: FilterPosition,
  place: string,
): Where | null {
  const { builder } = position
  const parts: Where[] = []
  for (const [word, leaf] of Object.entries(words)) {
    if (leaf === undefined) continue
    if (isFull(position)) break
    count(position)
    const here = `${place}.${word}`
    const path = () => builder.parameter({ kind: 'path' }, at, `${place}.path`)
    if (isJsonFlag(word)) {
      const is = readFlag(leaf, builder, here)
      if (is === null) continue
      const json: ComparedField['json'] = word === 'exists' ? { path: path(), presence: true } : { path: path() }
      parts.push({ kind: 'null', target: { ...target, json }, is: word === 'exists' ? !is : is })
    } else if (!isJsonOperator(word)) {
      const near = didYouMean(word, jsonWords)
      builder.problem(here, 'UNKNOWN', `"${word}" does not go with "path"; there are ${jsonWords.join(', ')}.${near}`)
    } else if (currentValue(leaf) === null) {
      refuseNull(builder, here)
    } else {
      const json = { path: path() }
      parts.push({
        kind: 'compare',
        target: { ...target, json },
        op: word,
        parameter: builder.parameter(jsonParameterType(word, type), leaf, here),
      })
    }
  }
  if (parts.length === 0 && !builder.hasEnoughProblems) {
    builder.problem(place, 'REQUIRED', `needs a condition beside "path": ${jsonWords.join(', ')}.`)
  }
  return join('and', parts)
}

/** `between` is two conditions, so that each is one to an index. */
function planRange(
  target: ComparedField,
  type: StoredType,
  leaf: unknown,
  builder: PlanBuilder,
  place: string,
): Where[] {
  const bounds = [
    ['gte', 'least'],
    ['lte', 'greatest'],
  ] as const
  return bounds.map(([op, is], index) => {
    const bound = deriveValue(leaf, (pair) => (Array.isArray(pair) && pair.length === 2 ? pair[index] : undefined))
    return { kind: 'compare', target, op, parameter: builder.parameter({ kind: 'bound', type, is }, bound, place) }
  })
}

function deeper(position: FilterPosition): FilterPosition {
  return { ...position, depth: position.depth + 1 }
}

/** Counts comparisons, joins and empty branches: all become part of the statement. */
function count({ builder, remaining: left }: FilterPosition, conditions = 1): void {
  left.conditions -= conditions
  builder.filters.conditions += conditions
}

/** Whether to stop reading the filter, because the request is already rejected, or is now. */
function isFull({ builder, place, remaining: left }: FilterPosition): boolean {
  const isRequestFull = builder.filters.conditions > maxRequestConditions
  if (left.conditions >= 0 && !isRequestFull) return builder.hasEnoughProblems
  if (left.reported) return true
  left.reported = true
  const limit =
    left.conditions < 0
      ? `${maxFilterConditions} conditions`
      : `${maxRequestConditions} conditions together with the other filters`
  builder.problem(place, 'RANGE', `The filter has more than ${limit}. ${inHint}`)
  return true
}

const inHint = 'Use "in" for many values: it counts as one condition.'

/** Ignoring a null would silently match more rows. */
function refuseNull(builder: PlanBuilder, path: string): null {
  builder.problem(path, 'TYPE', 'must not be null; {"isNull": true} finds rows without a value.')
  return null
}

function memberOf(target: ComparedField, member: ValueField): ComparedField {
  return { kind: 'target', field: target.field, inside: [...target.inside, member] }
}

function parameterTypeOf(op: CompareOp, type: StoredType, target: ComparedField): ParameterType {
  const ofRow = isRowId(target) && wholeIds.has(op) ? ({ ofRow: true } as const) : {}
  return operatorOf(op).operand === 'list'
    ? { kind: 'types', type, ...ofRow }
    : { kind: 'type', type: comparedType(op, type), ...ofRow }
}

/** Those that compare with the whole id of a row. */
const wholeIds: ReadonlySet<CompareOp> = new Set(['eq', 'ne', 'in', 'notIn'])

/** The ids of a view are keys of any form. */
function isRowId({ field: { name, owner }, inside }: ComparedField): boolean {
  return name === 'id' && inside.length === 0 && !isView(owner)
}

function jsonParameterType(op: JsonOperator, type: StoredType): ParameterType {
  if (takesJsonList(op)) return { kind: 'types', type }
  return { kind: 'type', type: isJsonTextOperator(op) ? { kind: 'scalar', name: 'String' } : type }
}

/** A flag changes the shape of the filter, so it is read now and becomes no parameter. */
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

/** The type of the compared field. */
export function targetType(target: ComparedField): StoredType {
  return target.inside.at(-1)?.type ?? target.field.type
}
