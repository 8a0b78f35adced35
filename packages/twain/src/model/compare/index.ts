export { compareModels } from './compare-models.ts'
export { type Difference, putBack } from './differences.ts'
export { type ChangeList, type ListedChange, listChanges, placeOfPath, verdicts } from './list-changes.ts'
export { applyRenames, findRenames, type Renames } from './renames.ts'
