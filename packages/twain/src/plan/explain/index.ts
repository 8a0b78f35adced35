// What reports, hints and generated documents state about a schema and its rules.

export type { AnyPlan } from '../visit-plan.ts'
export { type AccessEntry, accessEntries, callEntries, type EntryAction, entryActions } from './access-entries.ts'
export {
  type AccessRow,
  type AccessVerdict,
  accessMatrix,
  type CallRow,
  callMatrix,
  guessableFields,
  type ViewerKind,
  viewerKinds,
} from './access-matrix.ts'
export {
  type AnyBoundPlan,
  type Deprecation,
  Deprecations,
  deprecationHeaders,
  deprecationReasons,
  earliestDeprecation,
} from './deprecations.ts'
export { describePlace, shownFile } from './describe-place.ts'
export { describeGrant, describeTransitionActor } from './describe-rule.ts'
export { exampleCreate, exampleId, exampleMerge, exampleRow, exampleTime, exampleValue } from './examples.ts'
export {
  type AccessAnswer,
  type AccessRule,
  explainAccess,
} from './explain-access.ts'
export { explainCallDenial, explainDenial, explainReadDenial } from './explain-denial.ts'
export { indexHint } from './index-hint.ts'
export { isServedNonNull, servedNullable } from './nullability.ts'
export { orderHint } from './order-hint.ts'
export { planShape } from './plan-shape.ts'
export { RowJudge } from './row-judge.ts'
export { type SchemaHooks, type SchemaPicture, schemaPicture } from './schema-picture.ts'
export { type SchemaUsage, schemaUsageOf } from './schema-usage.ts'
export { unknownRoles } from './unknown-roles.ts'
export { unsettableFields } from './unsettable-fields.ts'
export { type ViewerModel, viewerModel } from './viewer-model.ts'
