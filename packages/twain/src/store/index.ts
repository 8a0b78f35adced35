export type { OpenOptions, Store } from './contract.ts'
export { openStore } from './open-store.ts'
export { StartRefused } from './start-refused.ts'
