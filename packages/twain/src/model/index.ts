export { aliasOf, renamedReason, singularAlias, withAliases } from './aliases.ts'
export { compareModels } from './compare/compare-models.ts'
export type { Difference } from './compare/differences.ts'
export { applyRenames, findRenames, type Renames } from './compare/renames.ts'
export { patternExample } from './directives/pattern-sample.ts'
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
  CustomOperation,
  CustomResultType,
  CustomScalar,
  DefaultChild,
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
  Model,
  ModelType,
  ReferenceField,
  Resource,
  Rule,
  ScalarName,
  SourceLocation,
  StateMachine,
  StoredField,
  StoredType,
  ToManyField,
  Transition,
  ValueField,
  ValueType,
  Who,
} from './model.ts'
export { camelCase, kebabCase } from './names/case.ts'
export { generatedTypes } from './names/generated-types.ts'
export { type ChangeSubscription, channelsOf, createAllName, subscriptionsOf } from './names/operations.ts'
export { isOwned, ownedInput } from './owned-lists.ts'
export { directiveDefinitions } from './parse/vocabulary.ts'
export { printCustomType, printType } from './print-type.ts'
export { isFile, rowTypes } from './read/file-type.ts'
export { renderMistakes } from './render-mistakes.ts'
export { searchedFields } from './searched-fields.ts'
export { hasStateMachines, type StateField, stateFields, transitionFieldOf, transitionsName } from './state-machines.ts'
