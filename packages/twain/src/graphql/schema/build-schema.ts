// The GraphQL schema of a model: printed as SDL and parsed by graphql-js, so that `twain print` shows exactly what is served.

import {
  buildASTSchema,
  type ConstValueNode,
  concatAST,
  type DocumentNode,
  GraphQLError,
  type GraphQLScalarType,
  type GraphQLSchema,
  isScalarType,
  parse,
  print,
} from 'graphql'
import { directiveDefinitions, type Model, type Scalar, scalarNames, scalarOf } from '#model'
import {
  hasAccessField,
  hasExport,
  hasInvitations,
  hasMatrixField,
  hasMessageField,
  hasMonitorFields,
  hasSchemaFields,
} from '#model/names'
import { fullVisibility, type Visibility } from '#plan/build'
import { evaluateLiteral } from '../input/argument-values.ts'
import { InputCoercers } from '../input/coerce-input.ts'
import { matrixTypesSdl } from './access-matrix-types.ts'
import { accessTypesSdl } from './access-types.ts'
import { aggregateInputTypes } from './aggregate-inputs.ts'
import { changeTypes, subscriptionTypes } from './change-types.ts'
import { distinctTypes } from './distinct-types.ts'
import { exportTypes } from './export-types.ts'
import { aggregateCosts, type FieldWeights, fieldCosts, pageFields } from './field-costs.ts'
import { filterTypes } from './filter-types.ts'
import { inputTypes } from './input-types.ts'
import { invitationTypes } from './invitation-types.ts'
import { messageTypesSdl } from './message-types.ts'
import { monitorTypesSdl } from './monitor-types.ts'
import { objectTypes } from './object-types.ts'
import { type RootFields, rootFieldsOf } from './root-fields.ts'
import { operationTypes } from './root-types.ts'
import { scalarTypes } from './scalar-types.ts'
import { schemaTypesSdl } from './schema-types.ts'
import { deletedRowsEnum, described } from './sdl.ts'
import { signInTypes } from './sign-in-types.ts'
import { type TypeAliases, typeAliasesOf } from './type-aliases.ts'

/** The whole schema as SDL. */
export function printSchema(model: Model): string {
  return `${print(schemaDocument(model, fullVisibility))}\n`
}

/** The served schema, and the meaning of its names. */
export interface ApiSchema {
  model: Model
  schema: GraphQLSchema
  roots: RootFields
  coercers: InputCoercers
  weights: FieldWeights
  typeAliases: TypeAliases
}

/** With `visibility`, filters and orders have only the fields that are visible to the viewer. The parts are made when the first
 *  request needs them: of a large model they take longer than everything else at a start or reload. */
export function buildApiSchema(model: Model, visibility: Visibility = fullVisibility): ApiSchema {
  const coercers = new InputCoercers(model)
  let parts: Omit<ApiSchema, 'model' | 'coercers'> | null = null
  const made = () => {
    parts ??= buildParts(model, visibility, coercers)
    return parts
  }
  return {
    model,
    coercers,
    get schema() {
      return made().schema
    },
    get roots() {
      return made().roots
    },
    get weights() {
      return made().weights
    },
    get typeAliases() {
      return made().typeAliases
    },
  }
}

function buildParts(model: Model, visibility: Visibility, coercers: InputCoercers) {
  // Loading the model has checked every name. Validating the generated schema would double the time; a test does it (conformance/graphql/printed-schemas.test.ts).
  const schema = buildASTSchema(schemaDocument(model, visibility), { assumeValid: true })
  checkScalarLiterals(schema, coercers)
  const roots = rootFieldsOf(model)
  const weights = {
    costs: fieldCosts(model),
    pages: pageFields(model, roots),
    aggregates: aggregateCosts(model, roots),
  }
  return { schema, roots, weights, typeAliases: typeAliasesOf(model) }
}

function schemaDocument(model: Model, visibility: Visibility): DocumentNode {
  const { description, name } = model.service
  const rootTypes =
    model.resources.length > 0 ? 'query: Query mutation: Mutation subscription: Subscription' : 'query: Query'
  const parts = [
    described(description ?? name, `schema { ${rootTypes} }`),
    ...operationTypes(model, visibility),
    ...objectTypes(model, visibility),
    ...(model.account === null ? [] : signInTypes(model.account)),
    ...(hasInvitations(model) ? invitationTypes(model.account!) : []),
    ...(hasExport(model) ? exportTypes(model) : []),
    ...(model.resources.length === 0 ? [] : changeTypes),
    ...(hasAccessField(model) ? accessTypesSdl : []),
    ...(hasMatrixField(model) ? matrixTypesSdl : []),
    ...(hasMessageField(model) ? messageTypesSdl : []),
    ...(hasMonitorFields(model) ? monitorTypesSdl : []),
    ...(hasSchemaFields(model) ? schemaTypesSdl : []),
    ...subscriptionTypes(model),
    ...inputTypes(model),
    ...deletedRowsEnum(model),
    ...filterTypes(model, visibility),
    ...distinctTypes(model, visibility),
    ...aggregateInputTypes(model, visibility),
    directiveDefinitions,
    ...(model.resources.length === 0 ? [] : [transactionDirective]),
  ]
  const document = parseParts(parts)
  const scalars = scalarTypes(model, document)
  return scalars.length === 0 ? document : concatAST([document, parseParts(scalars)])
}

function parseParts(parts: readonly string[]): DocumentNode {
  return parse(parts.join('\n\n'), { noLocation: true })
}

/** `execute/transaction.ts` runs it. */
const transactionDirective = `"Runs all fields of the mutation in one transaction, in their order: all succeed or none. Where an input takes an id, \\"$key.id\\" stands for the id of the row of an earlier field, by its response key."
directive @transaction on MUTATION`

/** `JSON` and the scalars of the schema file accept any literal. */
const checkedScalars = [...scalarNames.filter((name) => isCheckedHere(scalarOf(name))), 'Upload']

/** GraphQL checks its own scalars. */
function isCheckedHere({ sdl, literals }: Scalar): boolean {
  return sdl !== null && !literals.includes('any')
}

/** Lets validation check the literals of our scalars (specification, section 5.6.1 "Values of Correct Type"). So an invalid date
 *  is reported with its line and column before anything runs. */
function checkScalarLiterals(schema: GraphQLSchema, coercers: InputCoercers): void {
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
