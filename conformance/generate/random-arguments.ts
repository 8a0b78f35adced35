// The same call of a root field three times: with its arguments as literals, as variables, and as a mixture of both, in which a
// variable stands at any depth.

import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql'
import type { Random } from '../fuzz/random.ts'

export interface SentDocument {
  query: string
  variables: Record<string, unknown>
}

/** The value of each argument that the call has. */
export type ArgumentValues = ReadonlyMap<GraphQLArgument, unknown>

type Field = GraphQLField<unknown, unknown>

export class RandomArguments {
  readonly #random: Random
  readonly #leaves: Readonly<Record<string, readonly unknown[]>>

  /** `leaves`: values of each scalar. */
  constructor(random: Random, leaves: Readonly<Record<string, readonly unknown[]>>) {
    this.#random = random
    this.#leaves = leaves
  }

  draw(field: Field): ArgumentValues {
    const isSent = (argument: GraphQLArgument) => this.#random.chance(isRequiredArgument(argument) ? 0.98 : 0.4)
    return new Map(field.args.filter(isSent).map((argument) => [argument, this.#value(argument.type, 0)]))
  }

  /** Mostly valid. */
  #value(type: GraphQLInputType, depth: number): unknown {
    const random = this.#random
    if (random.chance(0.02)) return random.one(strange)
    if (isNonNullType(type)) return random.chance(0.02) ? null : this.#value(type.ofType, depth)
    if (random.chance(0.08)) return null
    if (isListType(type)) {
      if (random.chance(0.2)) return this.#value(type.ofType, depth) // a single value stands for a list of one
      return Array.from({ length: random.between(0, 2) }, () => this.#value(type.ofType, depth))
    }
    if (isEnumType(type)) return random.one(type.getValues()).name
    if (!isInputObjectType(type)) return random.one(this.#leaves[type.name] ?? ['x'])
    const fields = Object.values(type.getFields())
    if (type.isOneOf && random.chance(0.95)) {
      const { name, type: of } = random.one(fields)
      return { [name]: this.#value(getNullableType(of), depth + 1) }
    }
    const share = depth < 3 ? Math.min(0.5, 2 / fields.length) : 0
    const members = fields
      .filter((field) => random.chance(isRequiredInputField(field) ? 0.98 : share))
      .map(({ name, type: of }): [string, unknown] => [name, this.#value(of, depth + 1)])
    if (random.chance(0.01)) members.push(['nme', 1])
    return Object.fromEntries(members)
  }

  asLiterals(root: string, field: Field, values: ArgumentValues): SentDocument {
    return this.#document(root, field, values, 0)
  }

  /** Every argument is a variable, also those that this call leaves out: so all calls of a field have one document. */
  asVariables(root: string, field: Field, values: ArgumentValues): SentDocument {
    const absent = field.args.filter((argument) => !values.has(argument) && !isRequiredArgument(argument))
    return this.#document(root, field, values, 1, absent)
  }

  mixed(root: string, field: Field, values: ArgumentValues): SentDocument {
    return this.#document(root, field, values, 0.3)
  }

  /** `share`: how often a position has a variable. */
  #document(
    root: string,
    field: Field,
    values: ArgumentValues,
    share: number,
    absent: readonly GraphQLArgument[] = [],
  ): SentDocument {
    const variables = new VariableList()
    const texts = field.args.flatMap((argument) => {
      const { name, type } = argument
      if (absent.includes(argument)) return [`${name}: ${variables.declare(type)}`]
      return values.has(argument) ? [`${name}: ${this.#text(values.get(argument), type, share, variables)}`] : []
    })
    const args = texts.length === 0 ? '' : `(${texts.join(', ')})`
    const definitions = variables.definitions.length === 0 ? '' : `(${variables.definitions.join(', ')})`
    return { query: `${root}${definitions} { ${field.name}${args}${selections(field)} }`, variables: variables.values }
  }

  #text(value: unknown, type: GraphQLInputType, share: number, variables: VariableList, isRequired = false): string {
    if (this.#random.chance(share)) return variables.add(type, value, isRequired)
    if (value === null) return 'null'
    const nullable = getNullableType(type)
    if (Array.isArray(value)) {
      const of = isListType(nullable) ? nullable.ofType : nullable
      return `[${value.map((item) => this.#text(item, of, share, variables)).join(', ')}]`
    }
    const named = getNamedType(type)
    if (typeof value === 'object') {
      const fields = isInputObjectType(named) ? named.getFields() : {}
      const members = Object.entries(value).map(([name, member]) => {
        const field = fields[name]
        // Without a type no variable can stand there; inside `@oneOf` its type must not be nullable.
        const isOneOf = isInputObjectType(named) && named.isOneOf
        if (field === undefined || (isOneOf && member === null)) return `${name}: ${literal(member)}`
        return `${name}: ${this.#text(member, field.type, share, variables, isOneOf)}`
      })
      return `{${members.join(', ')}}`
    }
    return isEnumType(named) && typeof value === 'string' && /^\w+$/.test(value) ? value : literal(value)
  }
}

/** The variables of a document. */
class VariableList {
  readonly definitions: string[] = []
  readonly values: Record<string, unknown> = {}

  add(type: GraphQLInputType, value: unknown, isRequired = false): string {
    return this.#declare(isRequired ? `${getNullableType(type)}!` : String(type), value)
  }

  /** One without a value, for a position that has a default or takes null. */
  declare(type: GraphQLInputType): string {
    return this.#declare(String(getNullableType(type)), undefined)
  }

  #declare(type: string, value: unknown): string {
    const name = `v${this.definitions.length}`
    this.definitions.push(`$${name}: ${type}`)
    if (value !== undefined) this.values[name] = value
    return `$${name}`
  }
}

/** All fields that are leaves and need no arguments, and of objects one level of them. */
function selections(field: Field, depth = 0): string {
  const type = getNamedType(field.type)
  if (!isCompositeType(type)) return ''
  const fields = 'getFields' in type ? Object.values(type.getFields() as Record<string, Field>) : []
  const texts = fields
    .filter(({ args }) => !args.some(isRequiredArgument))
    .flatMap((inner) => {
      if (isLeafType(getNamedType(inner.type))) return [inner.name]
      return depth === 0 && plainMembers.has(inner.name) ? [inner.name + selections(inner, 1)] : []
    })
  return ` { ${['__typename', ...texts].join(' ')} }`
}

/** Objects inside an answer that show what an argument did. */
const plainMembers: ReadonlySet<string> = new Set(['edges', 'node', 'nodes', 'key', 'sum', 'errors', 'size'])

const strange = [0, 1.5, 2 ** 31, '', 'x', 'OPEN', true, [], {}, ['a'], [[1]], { width: 1 }, { eq: 1 }]

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value).map(([name, member]) => `${name}: ${literal(member)}`)}}`
}
