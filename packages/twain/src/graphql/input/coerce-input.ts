// One value of a variable against its GraphQL type: coerced as the specification says (section 3.10, "Input Coercion"),
// every problem with its place, and on the way the part of it that changes a plan: its shape.

import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedInputType,
  getNamedType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql'
import { didYouMean, hasEnoughProblems, isRecord, type Problem } from '#base'
import { ReceivedFile } from '#files'
import type { Model, ScalarName, StoredType } from '#model'
import { checkValue, isListTooLong } from '#plan'

/** What is found out while values are coerced. */
export interface CoercionState {
  problems: Problem[]
  /** Fields of filters so far. */
  filterFieldCount: number
  /** Equal for requests that have the same plan: objects and lists of objects in full, a leaf as given or null, and the
   *  value itself where it is part of the plan (flags and directions). Names of the schema are all that it holds. */
  shape: string
  /** Whether something that a write takes is not of its type. */
  hasMistypedInput?: boolean
}

export type CoerceValue = (value: unknown, path: string, state: CoercionState, depth: number) => unknown

const maxNestingLevels = 64

/** Makes a function that coerces values of the type; made once for each type. */
export class InputCoercers {
  readonly #model: Model
  readonly #objects = new Map<GraphQLInputObjectType, CoerceValue>()
  readonly #required = new Map<GraphQLInputObjectType, readonly string[]>()

  constructor(model: Model) {
    this.#model = model
  }

  coercerFor(type: GraphQLInputType, inFilter = false): CoerceValue {
    if (isNonNullType(type)) return nonNull(this.coercerFor(type.ofType, inFilter))
    if (isListType(type)) {
      const items = this.coercerFor(type.ofType)
      const isStructure = isInputObjectType(getNamedType(type))
      return nullable(isStructure ? listOfObjects(items) : listOfLeaves(items, inFilter))
    }
    return nullable(isInputObjectType(type) ? this.#object(type) : this.#leaf(type))
  }

  /** Whether the value is one of the type, and nothing more: what else is wrong with it is told by who takes it. */
  isOfType(type: GraphQLNamedInputType, value: unknown): boolean {
    if (type.name === 'String') return typeof value === 'string'
    return this.findProblem(type, value) === null
  }

  /** What is wrong with a value of a scalar or an enum. */
  findProblem({ name }: GraphQLNamedInputType, value: unknown): Problem | null {
    if (name === 'Upload' && value instanceof ReceivedFile) return null
    const problems: Problem[] = []
    checkValue(name === 'Upload' ? idType : this.#storedType(name), value, '', problems)
    return problems[0] ?? null
  }

  /** The members that must be there. */
  requiredFields(type: GraphQLInputObjectType): readonly string[] {
    const known = this.#required.get(type)
    if (known !== undefined) return known
    const required = Object.values(type.getFields())
      .filter(isRequiredInputField)
      .map(({ name }) => name)
    this.#required.set(type, required)
    return required
  }

  #object(type: GraphQLInputObjectType): CoerceValue {
    const known = this.#objects.get(type)
    if (known !== undefined) return known
    const members = new Map<string, CoerceValue>()
    const coerce = coerceObject(type, members, this.requiredFields(type))
    this.#objects.set(type, coerce) // before its members: a filter holds itself
    for (const { name, type: of } of Object.values(type.getFields()))
      members.set(name, this.coercerFor(of, isFilter(type)))
    return coerce
  }

  #leaf(type: GraphQLNamedInputType): CoerceValue {
    if (type.name === 'Direction') return coerceDirection
    if (type.name === 'Upload') return coerceUpload
    const stored = this.#storedType(type.name)
    if (type.name === 'Boolean') return coerceBoolean(stored)
    return (value, path, state) => {
      state.shape += 'v'
      checkValue(stored, value, path, state.problems)
      return value // raw, as the corridor wants it: `check` makes the canonical value
    }
  }

  #storedType(name: string): StoredType {
    const own = this.#model.types.get(name)
    if (own?.kind === 'enum') return { kind: 'enum', enum: own }
    if (own?.kind === 'custom') return { kind: 'custom', scalar: own }
    return { kind: 'scalar', name: name as ScalarName }
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
  return { path, code: 'REQUIRED', message: 'must be given and not null.' }
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
    const list = Array.isArray(value) ? value : [value] // a single value stands for a list of one
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

/** One leaf, whatever its length. */
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

/** Inputs of writes end with `Input`, and may be as large as a body. */
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

/** Beyond what any filter may hold (plan/where.ts), the rest need not be read. */
const maxFilterFields = 5000

function exceedsFilterFields(path: string, state: CoercionState): boolean {
  state.filterFieldCount += 1
  if (state.filterFieldCount === maxFilterFields + 1) {
    state.problems.push({
      path,
      code: 'RANGE',
      message: `is too large; there may be ${maxFilterFields} fields in all.`,
    })
  }
  return state.filterFieldCount > maxFilterFields
}

function checkOneOf(value: object, type: GraphQLInputObjectType, path: string, problems: Problem[]): void {
  const given = Object.values(value)
  if (given.length === 1 && given[0] !== null) return
  problems.push({ path, code: 'TYPE', message: `must name exactly one field of ${type.name}, and not null.` })
}

function coerceDirection(value: unknown, path: string, state: CoercionState): unknown {
  if (value === 'ASC' || value === 'DESC') {
    state.shape += value
    return value
  }
  const near = typeof value === 'string' ? didYouMean(value, ['ASC', 'DESC']) : ''
  state.problems.push({ path, code: 'TYPE', message: `must be one of ASC, DESC.${near}` })
  return null
}

/** A file of the request, which is then kept under an id, or an id. */
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
