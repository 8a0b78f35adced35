export type { Engine, Wants } from './contract.ts'
export { createEngine } from './engine.ts'
