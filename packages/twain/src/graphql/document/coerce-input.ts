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
import { checkValue, isTooLong } from '#plan'

/** What is found out while values are coerced. */
export interface Finding {
  problems: Problem[]
  /** Fields of filters so far. */
  members: number
  /** Equal for requests that have the same plan: objects and lists of objects in full, a leaf as given or null, and the
   *  value itself where it is part of the plan (flags and directions). Names of the schema are all that it holds. */
  shape: string
  /** Whether something that a write takes is not of its type. */
  misfits?: boolean
}

export type Coerce = (value: unknown, path: string, finding: Finding, depth: number) => unknown

const deepest = 64

/** Makes a function that coerces values of the type; made once for each type. */
export class Coercers {
  readonly #model: Model
  readonly #objects = new Map<GraphQLInputObjectType, Coerce>()
  readonly #required = new Map<GraphQLInputObjectType, readonly string[]>()

  constructor(model: Model) {
    this.#model = model
  }

  of(type: GraphQLInputType, inFilter = false): Coerce {
    if (isNonNullType(type)) return nonNull(this.of(type.ofType, inFilter))
    if (isListType(type)) {
      const items = this.of(type.ofType)
      const isStructure = isInputObjectType(getNamedType(type))
      return nullable(isStructure ? listOfObjects(items) : listOfLeaves(items, inFilter))
    }
    return nullable(isInputObjectType(type) ? this.#object(type) : this.#leaf(type))
  }

  /** Whether the value is one of the type, and nothing more: what else is wrong with it is told by who takes it. */
  fits(type: GraphQLNamedInputType, value: unknown): boolean {
    if (type.name === 'String') return typeof value === 'string'
    return this.problemWith(type, value) === null
  }

  /** What is wrong with a value of a scalar or an enum. */
  problemWith({ name }: GraphQLNamedInputType, value: unknown): Problem | null {
    if (name === 'Upload' && value instanceof ReceivedFile) return null
    const problems: Problem[] = []
    checkValue(name === 'Upload' ? idType : this.#storedType(name), value, '', problems)
    return problems[0] ?? null
  }

  /** The members that must be there. */
  requiredIn(type: GraphQLInputObjectType): readonly string[] {
    const known = this.#required.get(type)
    if (known !== undefined) return known
    const required = Object.values(type.getFields())
      .filter(isRequiredInputField)
      .map(({ name }) => name)
    this.#required.set(type, required)
    return required
  }

  #object(type: GraphQLInputObjectType): Coerce {
    const known = this.#objects.get(type)
    if (known !== undefined) return known
    const members = new Map<string, Coerce>()
    const coerce = object(type, members, this.requiredIn(type))
    this.#objects.set(type, coerce) // before its members: a filter holds itself
    for (const { name, type: of } of Object.values(type.getFields())) members.set(name, this.of(of, isFilter(type)))
    return coerce
  }

  #leaf(type: GraphQLNamedInputType): Coerce {
    if (type.name === 'Direction') return direction
    if (type.name === 'Upload') return upload
    const stored = this.#storedType(type.name)
    if (type.name === 'Boolean') return flag(stored)
    return (value, path, finding) => {
      finding.shape += 'v'
      checkValue(stored, value, path, finding.problems)
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

function nonNull(inner: Coerce): Coerce {
  return (value, path, finding, depth) => {
    if (value !== null && value !== undefined) return inner(value, path, finding, depth)
    finding.problems.push(missing(path))
    return null
  }
}

export function missing(path: string): Problem {
  return { path, code: 'REQUIRED', message: 'must be given and not null.' }
}

function nullable(inner: Coerce): Coerce {
  return (value, path, finding, depth) => {
    if (value !== null && value !== undefined) return inner(value, path, finding, depth)
    finding.shape += 'n'
    return null
  }
}

function listOfObjects(items: Coerce): Coerce {
  return (value, path, finding, depth) => {
    const list = Array.isArray(value) ? value : [value] // a single value stands for a list of one
    finding.shape += '['
    const coerced = coerceItems(list, items, path, finding, depth)
    finding.shape += ']'
    return coerced
  }
}

function coerceItems(list: unknown[], items: Coerce, path: string, finding: Finding, depth: number): unknown[] {
  const coerced: unknown[] = []
  for (const [index, item] of list.entries()) {
    if (hasEnoughProblems(finding.problems) || finding.members > mostMembers) break
    coerced.push(items(item, `${path}.${index}`, finding, depth))
  }
  return coerced
}

/** One leaf, whatever its length. */
function listOfLeaves(items: Coerce, inFilter: boolean): Coerce {
  return (value, path, finding, depth) => {
    if (inFilter && isTooLong(value, path, finding.problems)) return null
    const list = Array.isArray(value) ? value : [value]
    const shape = finding.shape
    const coerced = coerceItems(list, items, path, finding, depth)
    finding.shape = `${shape}v`
    return coerced
  }
}

/** Inputs of writes end with `Input`, and may be as large as a body. */
function isFilter({ name }: GraphQLInputObjectType): boolean {
  return name.endsWith('Where') || name.endsWith('Filter')
}

function object(
  type: GraphQLInputObjectType,
  members: ReadonlyMap<string, Coerce>,
  required: readonly string[],
): Coerce {
  const filters = isFilter(type)
  return (value, path, finding, depth) => {
    if (!isRecord(value)) {
      finding.problems.push({ path, code: 'TYPE', message: `must be an object (${type.name}).` })
      return null
    }
    if (depth >= deepest) {
      finding.problems.push({ path, code: 'RANGE', message: `must not be nested deeper than ${deepest} levels.` })
      return null
    }
    const coerced: Record<string, unknown> = {}
    finding.shape += '{'
    for (const name of Object.keys(value)) {
      if (hasEnoughProblems(finding.problems) || (filters && isTooMuch(path, finding))) break
      const member = (value as Record<string, unknown>)[name]
      const coerce = members.get(name)
      const place = `${path}.${name}`
      if (coerce === undefined) {
        const message = `"${name}" is not a field of ${type.name}.${didYouMean(name, members.keys())}`
        finding.problems.push({ path: place, code: 'UNKNOWN', message })
      } else {
        finding.shape += `${name}:`
        coerced[name] = coerce(member, place, finding, depth + 1)
        finding.shape += ','
      }
    }
    finding.shape += '}'
    for (const name of required) {
      if (!Object.hasOwn(value, name)) finding.problems.push(missing(`${path}.${name}`))
    }
    if (type.isOneOf) checkOneOf(value, type, path, finding.problems)
    return coerced
  }
}

/** Beyond what any filter may hold (plan/where.ts), the rest need not be read. */
const mostMembers = 5000

function isTooMuch(path: string, finding: Finding): boolean {
  finding.members += 1
  if (finding.members === mostMembers + 1) {
    finding.problems.push({ path, code: 'RANGE', message: `is too large; there may be ${mostMembers} fields in all.` })
  }
  return finding.members > mostMembers
}

function checkOneOf(value: object, type: GraphQLInputObjectType, path: string, problems: Problem[]): void {
  const given = Object.values(value)
  if (given.length === 1 && given[0] !== null) return
  problems.push({ path, code: 'TYPE', message: `must name exactly one field of ${type.name}, and not null.` })
}

function direction(value: unknown, path: string, finding: Finding): unknown {
  if (value === 'ASC' || value === 'DESC') {
    finding.shape += value
    return value
  }
  const near = typeof value === 'string' ? didYouMean(value, ['ASC', 'DESC']) : ''
  finding.problems.push({ path, code: 'TYPE', message: `must be one of ASC, DESC.${near}` })
  return null
}

/** A file of the request, which is then kept under an id, or an id. */
function upload(value: unknown, path: string, finding: Finding): unknown {
  finding.shape += 'v'
  if (!(value instanceof ReceivedFile)) checkValue(idType, value, path, finding.problems)
  return value
}

const idType: StoredType = { kind: 'scalar', name: 'ID' }

function flag(stored: StoredType): Coerce {
  return (value, path, finding) => {
    finding.shape += value === true ? 't' : 'f'
    checkValue(stored, value, path, finding.problems)
    return value
  }
}
