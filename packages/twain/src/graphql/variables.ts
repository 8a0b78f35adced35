// The variables of a request against the operation's definitions: coerced, every problem at once, and the shape that
// tells which plan of the operation fits.

import type { OperationDefinitionNode } from 'graphql'
import {
  type GraphQLInputType,
  type GraphQLSchema,
  getNullableType,
  isInputObjectType,
  isListType,
  Kind,
  typeFromAST,
} from 'graphql'
import { validationFault } from '#base'
import { cursorShape, searchShape } from '#plan'
import { evaluate, type Variables } from './argument-values.ts'
import type { Coerce, Coercers, Finding } from './coerce-input.ts'
import type { VariableUse } from './variable-uses.ts'

/** One `$name: Type = fallback` of an operation. */
export interface Variable {
  name: string
  required: boolean
  fallback: unknown
  use: VariableUse
  coerce: Coerce
}

/** Reads the definitions of an operation that is already validated. */
export function variablesOf(
  operation: OperationDefinitionNode,
  schema: GraphQLSchema,
  uses: ReadonlyMap<string, VariableUse>,
  coercers: Coercers,
): Variable[] {
  return (operation.variableDefinitions ?? []).map(({ variable, type: node, defaultValue }) => {
    const name = variable.name.value
    const type = typeFromAST(schema, node) as GraphQLInputType
    const use = uses.get(name) ?? 'value'
    return {
      name,
      required: node.kind === Kind.NON_NULL_TYPE,
      fallback: defaultValue === undefined ? undefined : evaluate(defaultValue, type, {}),
      use,
      coerce: use === 'written' ? written(type) : coercers.of(type),
    }
  })
}

/** What a write takes is judged by the write; only a single value that stands for a list is made one here, at every level
 *  (specification, section 3.11). */
function written(type: GraphQLInputType): Coerce {
  return (value) => withLists(value, type)
}

function withLists(value: unknown, type: GraphQLInputType): unknown {
  const nullable = getNullableType(type)
  if (value === null || value === undefined) return value
  if (isListType(nullable)) {
    const list = Array.isArray(value) ? value : [value]
    return list.map((item) => withLists(item, nullable.ofType))
  }
  if (!isInputObjectType(nullable) || typeof value !== 'object' || Array.isArray(value)) return value
  const fields = nullable.getFields()
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      return [name, field === undefined ? member : withLists(member, field.type)]
    }),
  )
}

/** A value that no variable stands for is left alone, as the specification has it (section 6.1.2): tools send the variables
 *  of all operations of a document. */
export function coerceVariables(
  variables: readonly Variable[],
  given: Readonly<Record<string, unknown>>,
): { values: Variables; shape: string } {
  const finding: Finding = { problems: [], members: 0, shape: '' }
  const values: Record<string, unknown> = Object.create(null) // a variable may be called `toString`
  for (const variable of variables) {
    const { name } = variable
    const value = Object.hasOwn(given, name) && given[name] !== undefined ? given[name] : variable.fallback
    finding.shape += ';'
    if (value === undefined && !variable.required) continue
    if (variable.required && (value === undefined || value === null)) {
      finding.problems.push({ path: `variables.${name}`, code: 'REQUIRED', message: 'must be given and not null.' })
      continue
    }
    values[name] = variable.coerce(value, `variables.${name}`, finding, 0)
    if (variable.use === 'shaping') finding.shape += `${cursorShape(value)}${searchShape(value)}`
  }
  if (finding.problems.length > 0) throw validationFault(finding.problems)
  return { values, shape: finding.shape }
}
