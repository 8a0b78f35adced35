export { calledNow, formerOf, formerSingle, withFormer } from './aliases.ts'
export { compareModels } from './compare/compare-models.ts'
export type { Difference } from './compare/differences.ts'
export { findRenames, type Renames, renamed } from './compare/renames.ts'
export { matchingText } from './directives/pattern-sample.ts'
export { directiveDefinitions } from './directives/vocabulary.ts'
export { loadModel } from './load-model.ts'
export { mayBeAccount, membersOf } from './members-of.ts'
export { type Mistake, SchemaMistakes } from './mistakes.ts'
export type {
  Abstract,
  Account,
  Action,
  AnyField,
  Argument,
  CacheHint,
  ComputedField,
  Constraint,
  CustomScalar,
  EnumType,
  EnumValue,
  Field,
  FileHolder,
  FileType,
  Index,
  InverseField,
  Json,
  Link,
  LinksField,
  Machine,
  MadeRow,
  Model,
  ModelType,
  Move,
  OwnOperation,
  OwnType,
  ReferenceField,
  Resource,
  Rule,
  ScalarName,
  SourcePlace,
  StoredField,
  StoredType,
  ToManyField,
  ValueField,
  ValueType,
  Who,
} from './model.ts'
export { camelCase, kebabCase } from './names/case.ts'
export { generatedTypes } from './names/generated-types.ts'
export { channelsOf, createAllName, type Happening, subscriptionsOf } from './names/operations.ts'
export { isOwned, ownedInput } from './owned-lists.ts'
export { spellOwnType, spellType } from './print-type.ts'
export { isFile, rowTypes } from './read/file-type.ts'
export { renderMistakes } from './render-mistakes.ts'
export { searchedFields } from './searched-fields.ts'
export { hasStates, movesName, movesOf, type StateField, stateFields } from './state-machines.ts'
