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
import { evaluate } from '../document/argument-values.ts'
import type { Coercers } from '../document/coerce-input.ts'

/** `JSON` and the file's own take anything that can be written. */
const judged = ['DateTime', 'Date', 'Decimal', 'BigInt', 'Upload']

export function judgeLiterals(schema: GraphQLSchema, coercers: Coercers): void {
  for (const type of judged.map((name) => schema.getType(name))) {
    if (isScalarType(type)) type.coerceInputLiteral = (node) => judge(node, type, coercers)
  }
}

function judge(node: ConstValueNode, type: GraphQLScalarType, coercers: Coercers): unknown {
  const value = evaluate(node, type, {})
  const problem = coercers.problemWith(type, value)
  if (problem === null) return value
  throw new GraphQLError(`${type.name} cannot represent ${print(node)}: it ${problem.message}`, { nodes: node })
}
