export type { Engine, Wants, Watching } from './contract.ts'
export { createEngine } from './engine.ts'
export type { GivenArguments, GivenRow, OwnCode } from './own-code.ts'
export type { Part } from './transaction.ts'
