export { printContract } from './contract.ts'
export { servedNullable } from './contract-nullable.ts'
export { createGraphql, type GraphqlOptions } from './graphql.ts'
