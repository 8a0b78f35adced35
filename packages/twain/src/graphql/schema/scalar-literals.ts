// Scalars of ours in a document: graphql-js judges the literals of its own five when a document is validated (specification,
// section 5.6.1, "Values of Correct Type"), and those of the others as their type says. So a day that the calendar does not have
// is told with its line and column, before anything is run.

import {
  type ConstValueNode,
  GraphQLError,
  type GraphQLScalarType,
  type GraphQLSchema,
  isScalarType,
  print,
} from 'graphql'
import { evaluateLiteral } from '../input/argument-values.ts'
import type { InputCoercers } from '../input/coerce-input.ts'

/** `JSON` and the file's own take anything that can be written. */
const checkedScalars = ['DateTime', 'Date', 'Decimal', 'BigInt', 'Upload']

export function checkScalarLiterals(schema: GraphQLSchema, coercers: InputCoercers): void {
  for (const type of checkedScalars.map((name) => schema.getType(name))) {
    if (isScalarType(type)) type.coerceInputLiteral = (node) => coerceLiteral(node, type, coercers)
  }
}

function coerceLiteral(node: ConstValueNode, type: GraphQLScalarType, coercers: InputCoercers): unknown {
  const value = evaluateLiteral(node, type, {})
  const problem = coercers.findProblem(type, value)
  if (problem === null) return value
  throw new GraphQLError(`${type.name} cannot represent ${print(node)}: it ${problem.message}`, { nodes: node })
}
