export { compareModels } from './compare-models.ts'
export type { Difference } from './differences.ts'
export { applyRenames, findRenames, type Renames } from './renames.ts'
