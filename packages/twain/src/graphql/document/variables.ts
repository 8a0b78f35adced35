// The variables of a request against the operation's definitions: coerced, every problem at once, and the shape that
// tells which plan of the operation fits.

import type { OperationDefinitionNode, VariableDefinitionNode } from 'graphql'
import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getLocation,
  getNullableType,
  isInputObjectType,
  isListType,
  Kind,
  typeFromAST,
} from 'graphql'
import { type Problem, validationError } from '#base'
import { cursorShape, searchShape } from '#plan/build'
import { evaluate, type Variables } from './argument-values.ts'
import { type Coerce, type Coercers, type Finding, missing } from './coerce-input.ts'
import { faultError, RequestErrors } from './request-errors.ts'
import type { VariableUse } from './variable-uses.ts'

/** One `$name: Type = fallback` of an operation. */
export interface Variable {
  name: string
  required: boolean
  fallback: unknown
  use: VariableUse
  coerce: Coerce
  node: VariableDefinitionNode
}

/** Reads the definitions of an operation that is already validated. */
export function variablesOf(
  operation: OperationDefinitionNode,
  schema: GraphQLSchema,
  uses: ReadonlyMap<string, VariableUse>,
  coercers: Coercers,
): Variable[] {
  return (operation.variableDefinitions ?? []).map((node) => {
    const { variable, type: typeNode, defaultValue } = node
    const name = variable.name.value
    const type = typeFromAST(schema, typeNode) as GraphQLInputType
    const use = uses.get(name) ?? 'value'
    return {
      name,
      required: typeNode.kind === Kind.NON_NULL_TYPE,
      fallback: defaultValue === undefined ? undefined : evaluate(defaultValue, type, {}),
      use,
      coerce: use === 'written' ? written(type, coercers) : coercers.of(type),
      node,
    }
  })
}

/** What a write takes is judged by the write, in the same words as in REST; here it is only seen whether it is of its type
 *  at all, and a single value that stands for a list is made one, at every level (specification, section 3.11). */
function written(type: GraphQLInputType, coercers: Coercers): Coerce {
  return (value, _path, finding) => withLists(value, type, finding)

  function withLists(value: unknown, type: GraphQLInputType, finding: Finding): unknown {
    const nullable = getNullableType(type)
    if (value === null || value === undefined) {
      if (nullable !== type) finding.misfits = true
      return value
    }
    if (isListType(nullable)) {
      const list = Array.isArray(value) ? value : [value]
      return list.map((item) => withLists(item, nullable.ofType, finding))
    }
    if (isInputObjectType(nullable) && typeof value === 'object' && !Array.isArray(value)) {
      return withMembers(value, nullable, finding)
    }
    if (isInputObjectType(nullable) || !coercers.fits(nullable, value)) finding.misfits = true
    return value
  }

  function withMembers(value: object, type: GraphQLInputObjectType, finding: Finding): object {
    const fields = type.getFields()
    for (const name of coercers.requiredIn(type)) if (!Object.hasOwn(value, name)) finding.misfits = true
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        const field = Object.hasOwn(fields, name) ? fields[name] : undefined
        if (field === undefined) finding.misfits = true
        return [name, field === undefined ? member : withLists(member, field.type, finding)]
      }),
    )
  }
}

/** `misfits`: something that a write takes is not of its type.
 *  A value that no variable stands for is left alone, as the specification has it (section 6.1.2): tools send the variables
 *  of all operations of a document. */
export function coerceVariables(
  variables: readonly Variable[],
  given: Readonly<Record<string, unknown>>,
): { values: Variables; shape: string; misfits: boolean } {
  const finding: Finding = { problems: [], members: 0, shape: '', misfits: false }
  const values: Record<string, unknown> = Object.create(null) // a variable may be called `toString`
  for (const variable of variables) {
    const { name } = variable
    const value = Object.hasOwn(given, name) && given[name] !== undefined ? given[name] : variable.fallback
    finding.shape += ';'
    if (value === undefined && !variable.required) continue
    if (variable.required && (value === undefined || value === null)) {
      finding.problems.push(missing(`variables.${name}`))
      continue
    }
    values[name] = variable.coerce(value, `variables.${name}`, finding, 0)
    if (variable.use === 'shaping') finding.shape += `${cursorShape(value)}${searchShape(value)}`
  }
  if (finding.problems.length > 0) throw wrongVariables(finding.problems, variables)
  return { values, shape: finding.shape, misfits: finding.misfits === true }
}

/** Told with the places of their definitions, as graphql-js does. */
function wrongVariables(problems: Problem[], variables: readonly Variable[]): RequestErrors {
  const wrong = new Set(problems.map(({ path }) => path.split('.')[1]))
  const places = variables.filter(({ name }) => wrong.has(name)).flatMap(({ node }) => node.loc ?? [])
  const locations = places.map(({ source, start }) => getLocation(source, start))
  return new RequestErrors([{ ...faultError(validationError(problems)), locations }])
}
