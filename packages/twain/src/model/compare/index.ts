export { compareModels } from './compare-models.ts'
export { type Difference, putBack } from './differences.ts'
export { applyRenames, findRenames, type Renames } from './renames.ts'
