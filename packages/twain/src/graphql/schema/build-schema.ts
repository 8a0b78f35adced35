// The GraphQL schema of a contract, written as SDL and read back by graphql-js: what `twain print` shows is what is
// served.

import { buildASTSchema, type GraphQLSchema, parse, print } from 'graphql'
import { directiveDefinitions, type Model } from '#model'
import { fullVisibility, type Visibility } from '#plan/build'
import { InputCoercers } from '../input/coerce-input.ts'
import { changeTypes } from './change-types.ts'
import { type FieldCosts, fieldCosts } from './field-costs.ts'
import { filterTypes } from './filter-types.ts'
import { inputTypes } from './input-types.ts'
import { objectTypes } from './object-types.ts'
import { type RootFields, rootFieldsOf } from './root-fields.ts'
import { operationTypes } from './root-types.ts'
import { checkScalarLiterals } from './scalar-literals.ts'
import { scalarTypes } from './scalar-types.ts'
import { described } from './sdl.ts'
import { subscriptionTypes } from './subscription-types.ts'
import { tokenTypes } from './token-types.ts'
import { transactionDirective } from './transaction-directive.ts'
import { type TypeAliases, typeAliasesOf } from './type-aliases.ts'
import { webhookTypes } from './webhook-types.ts'

/** The whole schema as SDL. */
export function printSchema(model: Model): string {
  return `${print(parse(schemaText(model, fullVisibility), { noLocation: true }))}\n`
}

/** A contract as the door holds it: the schema, and what its names mean. */
export interface ApiSchema {
  model: Model
  schema: GraphQLSchema
  roots: RootFields
  coercers: InputCoercers
  costs: FieldCosts
  typeAliases: TypeAliases
}

/** `sight`: as a viewer may filter and order by it; left out, with everything that there is. */
export function buildApiSchema(model: Model, visibility: Visibility = fullVisibility): ApiSchema {
  // With less in it, what was valid is: that is not looked at again, since a request waits for it.
  const assumeValid = visibility !== fullVisibility
  const schema = buildASTSchema(parse(schemaText(model, visibility), { noLocation: true }), { assumeValid })
  const roots = rootFieldsOf(model)
  const costs = fieldCosts(model)
  const coercers = new InputCoercers(model)
  checkScalarLiterals(schema, coercers)
  return { model, schema, roots, coercers, costs, typeAliases: typeAliasesOf(model) }
}

function schemaText(model: Model, visibility: Visibility): string {
  const { description, name } = model.service
  const rootTypes =
    model.resources.length > 0 ? 'query: Query mutation: Mutation subscription: Subscription' : 'query: Query'
  const parts = [
    described(description ?? name, `schema { ${rootTypes} }`),
    ...operationTypes(model, visibility),
    ...objectTypes(model, visibility),
    ...(model.account === null ? [] : tokenTypes(model.account)),
    ...(model.resources.length === 0 ? [] : [...changeTypes, ...webhookTypes]),
    ...subscriptionTypes(model),
    ...inputTypes(model),
    ...filterTypes(model, visibility),
    directiveDefinitions,
    ...(model.resources.length === 0 ? [] : [transactionDirective]),
  ].join('\n\n')
  return [parts, ...scalarTypes(model, parts)].join('\n\n')
}
