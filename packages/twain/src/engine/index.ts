export type { Engine, Wants, Watching } from './contract.ts'
export { createEngine } from './engine.ts'
