// Coerces the value of a variable to its GraphQL type (specification, section 3.10 "Input Coercion"). It collects every problem
// with its path, and the shape of the value: the part of it that decides which plan fits.

import {
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql'
import { didYouMean, hasEnoughProblems, isRecord, type Problem } from '#base'
import { ReceivedFile } from '#files'
import { type Model, type ScalarName, type StoredType, scalarOf } from '#model'
import { checkValue, isListTooLong } from '#plan'

/** What coercion collects. */
export interface CoercionState {
  problems: Problem[]
  /** The number of filter fields so far. */
  filterFieldCount: number
  /** Equal for requests that have the same plan. It has the structure of objects and lists of objects, whether each leaf is
   *  null, and the values that are part of the plan (booleans and directions). All names in it are names of the schema. */
  shape: string
  /** Whether the input of a write has a value that is not of its type. */
  hasMistypedInput?: boolean
}

export type CoerceValue = (value: unknown, path: string, state: CoercionState, depth: number) => unknown

const maxNestingLevels = 64

/** Builds the functions that coerce values, one for each input object type. */
export class InputCoercers {
  /** The enums and scalars that rows and arguments of custom code have: those of the schema file and of the system types. The
   *  values of every other enum are part of the plan, such as a direction, a key of groups or a variant of an image. */
  readonly #stored: ReadonlyMap<string, StoredType>
  readonly #objects = new Map<GraphQLInputObjectType, CoerceValue>()
  readonly #required = new Map<GraphQLInputObjectType, readonly string[]>()

  constructor({ enums, scalars, system }: Pick<Model, 'enums' | 'scalars' | 'system'>) {
    this.#stored = new Map([
      ...[...enums, ...system.enums].map((one): [string, StoredType] => [one.name, { kind: 'enum', enum: one }]),
      ...scalars.map((one): [string, StoredType] => [one.name, { kind: 'custom', scalar: one }]),
    ])
  }

  coercerFor(type: GraphQLInputType, inFilter = false): CoerceValue {
    if (isNonNullType(type)) return nonNull(this.coercerFor(type.ofType, inFilter))
    if (isListType(type)) {
      const items = this.coercerFor(type.ofType)
      const isStructure = isInputObjectType(getNamedType(type)) || this.#isShaping(getNamedType(type))
      return nullable(isStructure ? listOfObjects(items) : listOfLeaves(items, inFilter))
    }
    return nullable(isInputObjectType(type) ? this.#object(type) : this.#leaf(type))
  }

  /** Whether the value is of the type. The write checks its constraints. */
  isOfType(type: GraphQLNamedInputType, value: unknown): boolean {
    if (type.name === 'String') return typeof value === 'string'
    if (this.#isShaping(type)) return type.getValues().some(({ name }) => name === value)
    return this.findProblem(type, value) === null
  }

  /** The problem of a value of a scalar or an enum. */
  findProblem({ name }: GraphQLNamedInputType, value: unknown): Problem | null {
    if (name === 'Upload' && value instanceof ReceivedFile) return null
    const problems: Problem[] = []
    checkValue(name === 'Upload' ? idType : this.#storedType(name), value, '', problems)
    return problems[0] ?? null
  }

  /** The names of the required fields. */
  requiredFields(type: GraphQLInputObjectType): readonly string[] {
    const cached = this.#required.get(type)
    if (cached !== undefined) return cached
    const required = Object.values(type.getFields())
      .filter(isRequiredInputField)
      .map(({ name }) => name)
    this.#required.set(type, required)
    return required
  }

  #object(type: GraphQLInputObjectType): CoerceValue {
    const cached = this.#objects.get(type)
    if (cached !== undefined) return cached
    const members = new Map<string, CoerceValue>()
    const coerce = coerceObject(type, members, this.requiredFields(type))
    this.#objects.set(type, coerce) // before its fields: a filter type contains itself
    for (const { name, type: of } of Object.values(type.getFields()))
      members.set(name, this.coercerFor(of, isFilter(type)))
    return coerce
  }

  #leaf(type: GraphQLNamedInputType): CoerceValue {
    if (type.name === 'Upload') return coerceUpload
    if (this.#isShaping(type)) return coerceShaping(type)
    const stored = this.#storedType(type.name)
    if (type.name === 'Boolean') return coerceBoolean(stored)
    const keepsDigits = stored.kind === 'scalar' && scalarOf(stored.name).keepsDigits
    return (value, path, state) => {
      state.shape += 'v'
      const canonical = checkValue(stored, value, path, state.problems)
      // The check stage of the plan makes the canonical value. Only a number becomes text here, as in a literal.
      return keepsDigits && typeof value === 'number' ? canonical : value
    }
  }

  /** Whether it is an enum whose values are part of the plan. */
  #isShaping(type: GraphQLNamedInputType): type is GraphQLEnumType {
    return isEnumType(type) && !this.#stored.has(type.name)
  }

  #storedType(name: string): StoredType {
    return this.#stored.get(name) ?? { kind: 'scalar', name: name as ScalarName }
  }
}

function nonNull(inner: CoerceValue): CoerceValue {
  return (value, path, state, depth) => {
    if (value !== null && value !== undefined) return inner(value, path, state, depth)
    state.problems.push(missingValue(path))
    return null
  }
}

export function missingValue(path: string): Problem {
  return { path, code: 'REQUIRED', message: 'is required and must not be null.' }
}

function nullable(inner: CoerceValue): CoerceValue {
  return (value, path, state, depth) => {
    if (value !== null && value !== undefined) return inner(value, path, state, depth)
    state.shape += 'n'
    return null
  }
}

function listOfObjects(items: CoerceValue): CoerceValue {
  return (value, path, state, depth) => {
    const list = Array.isArray(value) ? value : [value] // a single value is a list of one
    state.shape += '['
    const coerced = coerceItems(list, items, path, state, depth)
    state.shape += ']'
    return coerced
  }
}

function coerceItems(
  list: unknown[],
  items: CoerceValue,
  path: string,
  state: CoercionState,
  depth: number,
): unknown[] {
  const coerced: unknown[] = []
  for (const [index, item] of list.entries()) {
    if (hasEnoughProblems(state.problems) || state.filterFieldCount > maxFilterFields) break
    coerced.push(items(item, `${path}.${index}`, state, depth))
  }
  return coerced
}

/** In the shape, a list of leaves is one leaf of any length. */
function listOfLeaves(items: CoerceValue, inFilter: boolean): CoerceValue {
  return (value, path, state, depth) => {
    if (inFilter && isListTooLong(value, path, state.problems)) return null
    const list = Array.isArray(value) ? value : [value]
    const shape = state.shape
    const coerced = coerceItems(list, items, path, state, depth)
    state.shape = `${shape}v`
    return coerced
  }
}

/** Inputs of writes end with `Input`; only the size of the body limits them. */
function isFilter({ name }: GraphQLInputObjectType): boolean {
  return name.endsWith('Where') || name.endsWith('Filter')
}

function coerceObject(
  type: GraphQLInputObjectType,
  members: ReadonlyMap<string, CoerceValue>,
  required: readonly string[],
): CoerceValue {
  const filters = isFilter(type)
  return (value, path, state, depth) => {
    if (!isRecord(value)) {
      state.problems.push({ path, code: 'TYPE', message: `must be an object (${type.name}).` })
      return null
    }
    if (depth >= maxNestingLevels) {
      state.problems.push({
        path,
        code: 'RANGE',
        message: `must not be nested deeper than ${maxNestingLevels} levels.`,
      })
      return null
    }
    const coerced: Record<string, unknown> = {}
    state.shape += '{'
    for (const name of Object.keys(value)) {
      if (hasEnoughProblems(state.problems) || (filters && exceedsFilterFields(path, state))) break
      const member = (value as Record<string, unknown>)[name]
      const coerce = members.get(name)
      const place = `${path}.${name}`
      if (coerce === undefined) {
        const message = `"${name}" is not a field of ${type.name}.${didYouMean(name, members.keys())}`
        state.problems.push({ path: place, code: 'UNKNOWN', message })
      } else {
        state.shape += `${name}:`
        coerced[name] = coerce(member, place, state, depth + 1)
        state.shape += ','
      }
    }
    state.shape += '}'
    for (const name of required) {
      if (!Object.hasOwn(value, name)) state.problems.push(missingValue(`${path}.${name}`))
    }
    if (type.isOneOf) checkOneOf(value, type, path, state.problems)
    return coerced
  }
}

/** More than any filter may have (plan/build/where.ts): coercion stops. */
const maxFilterFields = 5000

function exceedsFilterFields(path: string, state: CoercionState): boolean {
  state.filterFieldCount += 1
  if (state.filterFieldCount === maxFilterFields + 1) {
    state.problems.push({
      path,
      code: 'RANGE',
      message: `is too large; at most ${maxFilterFields} fields are allowed in all.`,
    })
  }
  return state.filterFieldCount > maxFilterFields
}

function checkOneOf(value: object, type: GraphQLInputObjectType, path: string, problems: Problem[]): void {
  const members = Object.values(value)
  if (members.length === 1 && members[0] !== null) return
  problems.push({ path, code: 'TYPE', message: `must name exactly one field of ${type.name}, and not null.` })
}

/** The plan has a part for each type, and for each key of groups. */
function coerceShaping(type: GraphQLEnumType): CoerceValue {
  const names = type.getValues().map(({ name }) => name)
  return (value, path, state) => {
    if (typeof value === 'string' && names.includes(value)) {
      state.shape += `${value} `
      return value
    }
    const near = typeof value === 'string' ? didYouMean(value, names) : ''
    state.problems.push({ path, code: 'TYPE', message: `must be one of ${names.join(', ')}.${near}` })
    return null
  }
}

/** A file of the request, or the id of a stored file. */
function coerceUpload(value: unknown, path: string, state: CoercionState): unknown {
  state.shape += 'v'
  if (!(value instanceof ReceivedFile)) checkValue(idType, value, path, state.problems)
  return value
}

const idType: StoredType = { kind: 'scalar', name: 'ID' }

function coerceBoolean(stored: StoredType): CoerceValue {
  return (value, path, state) => {
    state.shape += value === true ? 't' : 'f'
    checkValue(stored, value, path, state.problems)
    return value
  }
}
