export { listFactor, weights } from './cost-weights.ts'
export { countableFields, incrementInput, incrementMember, isCountable } from './countable-fields.ts'
export { isClaimJson, isSameClaim } from './directives/claims.ts'
export { patternExample } from './directives/pattern-sample.ts'
export {
  isJson,
  isJsonFlag,
  isJsonOperator,
  isJsonTextOperator,
  type JsonOperator,
  jsonFlags,
  jsonOperators,
  jsonPath,
  jsonPathAdvice,
  jsonWords,
  takesJsonList,
} from './json-filters.ts'
export { labelOf } from './label-of.ts'
export {
  changeableLists,
  changedRowInput,
  isChangedInLists,
  isList,
  type ListField,
  type ListWrite,
  listInput,
  listMember,
  listOfMember,
  listWrites,
  takesNewRows,
  whyNot,
} from './list-writes.ts'
export { loadFolder, loadModel } from './load-model.ts'
export {
  distinctFields,
  type FieldMeasure,
  fieldMeasureNames,
  fieldMeasures,
  groupFields,
  hasAggregates,
  hasGroups,
  isDistinctField,
  isFieldMeasure,
  isGroupable,
  isMeasureOperator,
  isTimePart,
  keyType,
  type MeasureName,
  type MeasureOperator,
  measuredFields,
  measureOperators,
  measureType,
  type TimePart,
  takesMeasure,
  timeParts,
  timePartsOf,
  wholeValue,
} from './measures.ts'
export { hasAddresses, isFile, isShownByDefault, mayBeAccount, membersOf, searchedFields } from './members-of.ts'
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
  NamedClaim,
  OperationRule,
  ReferenceField,
  Resource,
  Rule,
  SourceLocation,
  StateMachine,
  StoredField,
  StoredType,
  SystemType,
  SystemTypes,
  ToManyField,
  Transition,
  ValueField,
  ValueType,
  Verification,
  View,
  Who,
} from './model.ts'
export { isOwned, ownedInput } from './owned-lists.ts'
export { type OwnerPath, ownerPathsOf } from './owner-paths.ts'
export type { SchemaSource } from './parse/schema-sources.ts'
export { directiveDefinitions } from './parse/vocabulary.ts'
export { containsUpload } from './read/contains-upload.ts'
export { rowTypes } from './read/file-type.ts'
export { isIndexable } from './read/read-indexes.ts'
export { renderMistakes } from './render-mistakes.ts'
export { coversField, isNarrowed, isReadRestricted } from './rule-fields.ts'
export { hiddenTypes } from './soft-delete.ts'
export { hasStateMachines, type StateField, stateFields, transitionFieldOf, transitionsName } from './state-machines.ts'
export { servedResources } from './system/system-types.ts'
export {
  type FilterMember,
  filterMembers,
  isTypeOperator,
  memberNamed,
  type TypeOperator,
  typenameEnum,
  typenameFilter,
  typeOperators,
  typeWord,
} from './type-filters.ts'
export {
  compoundKeyInput,
  formerKeyName,
  type KeyField,
  keyInput,
  type UniqueKey,
  uniqueKeysOf,
} from './unique-keys.ts'
export { admittedKinds, checkConstraint, compareToBound } from './values/check-constraint.ts'
export { checkJson } from './values/check-json.ts'
export {
  type CompareOp,
  comparedType,
  type FilterOperator,
  isAccountTime,
  isListWord,
  isOpaque,
  isOperator,
  isSortable,
  type ListWord,
  listWords,
  operatorOf,
  operators,
  operatorsOf,
} from './values/operators.ts'
export { isAnyJson, isExactNumber, isFolded, isNumber, isText } from './values/scalar-types.ts'
export { isScalarName, jsonOrText, type Scalar, type ScalarName, scalarNames, scalarOf } from './values/scalars.ts'
export { isView, type WriteOperation, writesOf } from './writes-of.ts'
