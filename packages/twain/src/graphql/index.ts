export { printContract } from './contract.ts'
export { createGraphql, type GraphqlOptions } from './graphql.ts'
