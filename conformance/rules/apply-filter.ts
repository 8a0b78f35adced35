// Which rows match a filter: of a rule, which sees everything, or of a viewer, who may not.

import {
  type Field,
  isJson,
  type Resource,
  type StoredField,
  type StoredType,
} from '../../packages/twain/src/model/index.ts'
import { testLeaf, testList, type Where } from '../generate/oracle-values.ts'
import type { PlacedRow, Row, RowsInMemory } from './rows-in-memory.ts'

/** What the sender of a filter sees. A rule of the schema sees everything. */
export interface FilterViewer {
  account: string | null
  /** The claims of the viewer, for rules. A missing one, an empty list and a value of another type are left out. */
  claims?: Readonly<Record<string, unknown>>
  reads(spot: PlacedRow): boolean
  shows(field: Field, spot: PlacedRow): boolean
}

/** Undefined: the filter uses a field that the viewer may not read on this row. Such a filter does not match the row, negated or not.
 *  A row at the end of a reference or a list matches or does not: nothing is undefined beyond its own row. */
type Truth = boolean | undefined

export function holds(world: RowsInMemory, spot: PlacedRow, where: Where, eye: FilterViewer): boolean {
  return truth(world, spot, where, eye) === true
}

function truth(world: RowsInMemory, spot: PlacedRow, where: Where, eye: FilterViewer): Truth {
  return all(
    Object.entries(where).map(([key, part]) => {
      if (key === 'and') return all((part as Where[]).map((each) => truth(world, spot, each, eye)))
      if (key === 'or') return some((part as Where[]).map((each) => truth(world, spot, each, eye)))
      if (key === 'not') return not(truth(world, spot, part as Where, eye))
      if (key === 'isViewer') return isOwn(world, spot, eye.account) === part
      if (key === '_type') return testLeaf('String', spot.of.name, part as Where)
      if (world.model.resources.some(({ name }) => name === key))
        return spot.of.name === key && truth(world, spot, part as Where, eye)
      return fieldTruth(world, fieldOf(spot.of, key), spot, part as Where, eye)
    }),
  )
}

function fieldTruth(world: RowsInMemory, field: Field, spot: PlacedRow, part: Where, eye: FilterViewer): Truth {
  if (!eye.shows(field, spot)) return undefined
  if (field.kind === 'stored') {
    const known = withClaims(part, eye.claims ?? {})
    return known === undefined ? undefined : holdsValue(field, spot.row, known)
  }
  const there = world.follow(field, spot.row).filter((each) => eye.reads(each))
  if (field.kind === 'reference' || field.kind === 'inverse') {
    const { isNull, ...rest } = part
    const target = there[0]
    if (isNull !== undefined && isNull !== (target === undefined)) return false
    if (Object.keys(rest).length === 0) return true
    return target !== undefined && holds(world, target, rest, eye)
  }
  const has = (inner: unknown) => there.some((each) => holds(world, each, inner as Where, eye))
  const isRefuted = (inner: unknown) => there.some((each) => truth(world, each, inner as Where, eye) === false)
  return Object.entries(part).every(([which, inner]) =>
    which === 'every' ? !isRefuted(inner) : has(inner) === (which === 'some'),
  )
}

/** The tests with the values of the claims; a list of values means any of them. Undefined: a claim is missing. */
function withClaims(part: Where, claims: Readonly<Record<string, unknown>>): Where | undefined {
  const tests = Object.entries(part).map(([operator, operand]) => {
    const name = claimIn(operand)
    const value = name === null ? operand : claims[name]
    return [name !== null && Array.isArray(value) ? ({ eq: 'in', ne: 'notIn' }[operator] ?? operator) : operator, value]
  })
  return tests.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(tests)
}

/** The name of the claim that stands in the place of a value. */
export function claimIn(operand: unknown): string | null {
  if (typeof operand !== 'object' || operand === null || !('claim' in operand)) return null
  return String(operand.claim)
}

function all(parts: Truth[]): Truth {
  if (parts.includes(false)) return false
  return parts.includes(undefined) ? undefined : true
}

function some(parts: Truth[]): Truth {
  return not(all(parts.map(not)))
}

function not(part: Truth): Truth {
  return part === undefined ? undefined : !part
}

function holdsValue(field: StoredField, row: Row, part: Where): boolean {
  const value = row[field.name]
  if (isJson(field.type))
    return Object.hasOwn(part, 'path') ? holdsInside(value, part) : part.isNull === (value === null)
  if (field.type.kind === 'list') return testList(orderOf(field.type.of), value as unknown[] | null, part)
  return testLeaf(orderOf(field.type), value, part)
}

/** The value at the path; undefined: there is none. A value of another type than the operand does not match. */
function holdsInside(json: unknown, { path, ...tests }: Where): boolean {
  const value = String(path)
    .split('.')
    .reduce((at, key) => (isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined), json)
  const is = (operand: unknown) => value === operand
  return Object.entries(tests).every(([operator, operand]) => {
    if (operator === 'exists') return operand === (value !== undefined)
    if (operator === 'isNull') return operand === (value === undefined || value === null)
    if (operator === 'eq') return is(operand)
    if (operator === 'ne') return !is(operand)
    if (operator === 'in') return (operand as unknown[]).some(is)
    if (typeof value !== typeof operand) return false
    if (operator === 'startsWith') return String(value).startsWith(String(operand))
    const [here, there] = [value as number, operand as number]
    if (operator === 'gte') return here >= there
    if (operator === 'lte') return here <= there
    throw new Error(`nothing tests ${operator} inside JSON`)
  })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isOwn(world: RowsInMemory, { of, row }: PlacedRow, account: string | null): boolean {
  return of === world.model.account?.resource && account !== null && row.id === account
}

export function orderOf(type: StoredType): string {
  if (type.kind === 'scalar') return type.name
  if (type.kind === 'enum') return 'enum'
  throw new Error(`nothing compares a ${type.kind}`)
}

export function fieldOf(of: Resource, name: string): Field {
  const field = of.fields.get(name)
  if (field === undefined) throw new Error(`no field ${of.name}.${name}`)
  return field
}
