export { printContract } from './contract.ts'
export { createGraphiql } from './graphiql/graphiql.ts'
export { createGraphql, type GraphqlOptions } from './graphql.ts'
export { defaultGraphqlSettings, type GraphqlSettings, graphqlMistakes } from './settings.ts'
