export { StartRefused } from './start-refused.ts'
export { type OpenOptions, openStore, type Store } from './store.ts'
