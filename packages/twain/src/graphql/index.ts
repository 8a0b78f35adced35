export { printContract } from './contract.ts'
export { servedNullable } from './contract-nullable.ts'
export { createGraphql, type GraphqlOptions } from './graphql.ts'
export { defaultGraphqlSettings, type GraphqlSettings, graphqlMistakes } from './settings.ts'
