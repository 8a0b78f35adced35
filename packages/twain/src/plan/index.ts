export { Authority, type AuthorizedPlan, type WriteKind } from './authorize/authorize.ts'
export { isNever } from './authorize/conditions.ts'
export { type ChangeKind, eventKindFor, type RowVisibility } from './authorize/event-kind.ts'
export { ForbiddenRead } from './authorize/forbidden-read.ts'
export { isServedNonNull, servedNullable } from './authorize/nullability.ts'
export { levelOf, membersIn, type PlanMember, selectedFields } from './authorize/selected-fields.ts'
export { signInFirst } from './authorize/sign-in-first.ts'
export { isOpen } from './authorize/viewer-class.ts'
export { fullVisibility, isHidden, type Visibility } from './authorize/visibility.ts'
export { type EarlierIds, resolveEarlierId, withEarlierIds } from './build/back-reference.ts'
export { planCreates } from './build/batch.ts'
export { cursorShape, orderName, writeCursor } from './build/cursor.ts'
export {
  addTypeKeys,
  computedInputs,
  idKey,
  isComputed,
  isHiddenKey,
  planArguments,
  planNamedRows,
  typeKey,
  usesCustomCode,
} from './build/custom-operation.ts'
export { defaultSelection, valueIn, wholeValue } from './build/default-selection.ts'
export { defaultValue } from './build/default-value.ts'
export { expectPossibleNewId, isPossibleId, possibleIds } from './build/ids.ts'
export { isRequiredInput, planInput } from './build/input.ts'
export { jsonWhere, whereShape } from './build/json-where.ts'
export { comparedType, meanings, type Operator, operators, sortable } from './build/operators.ts'
export { planOrder } from './build/order.ts'
export { checkOffset, checkPageSize, defaultPageSize, keysetPage, offsetPage } from './build/page.ts'
export { currentValue, deriveValue, PlanBuilder, RequestValue, resolveValues } from './build/plan-builder.ts'
export { isSearchable, maxSearchLength, planSearch, searchShape } from './build/search.ts'
export { jsonOrText, textToValue } from './build/text-value.ts'
export { limitConditions, planWhere, targetType } from './build/where.ts'
export { storedWords, wordRuleVersion } from './build/words.ts'
export { check } from './check/check.ts'
export { checkConstraint } from './check/check-constraint.ts'
export { isTooLong } from './check/check-parameter.ts'
export { checkScalar } from './check/check-value.ts'
export { decimalKey } from './check/decimal.ts'
export { type AccessRow, accessMatrix, type Verdict, type ViewerKind, viewerKinds } from './explain/access-matrix.ts'
export { type Deprecated, Deprecations, deprecatedIn, deprecationHeaders, earliest } from './explain/deprecations.ts'
export { describeCondition, describeTransitionActor } from './explain/describe-rule.ts'
export { drawStateMachines } from './explain/draw-state-machines.ts'
export { exampleCreate, exampleId, exampleMerge, exampleRow, exampleTime, exampleValue } from './explain/examples.ts'
export { explainDenial, explainReadDenial } from './explain/explain-denial.ts'
export { guessableFields } from './explain/guessable-fields.ts'
export { type Named, type Naming, namedIn } from './explain/schema-usage.ts'
export { failureIn, failureMarker } from './failure.ts'
export { hasSignatureMarkers, replaceSignatureMarkers, signatureMarker } from './file-url.ts'
export { forbiddenMarker, hasForbiddenFields, replaceForbiddenFields } from './forbidden-field.ts'
export { CachePolicies, leastPolicy, printCacheControl } from './limit/cache-policy.ts'
export { countConditions } from './limit/count-conditions.ts'
export { limit, type Measure, overLimit } from './limit/limit.ts'
export { defaultLimits, type Limits, weights } from './limit/limits.ts'
export type {
  BoundArgument,
  BoundPlan,
  CodeFailure,
  ComparedField,
  CompareOp,
  ComputedSelection,
  ConnectionSelection,
  ConstantValue,
  CustomCall,
  CustomCallResult,
  CustomResult,
  Direction,
  EdgeSelection,
  Guard,
  OrderKey,
  PageBounds,
  PageInfoSelection,
  PageRead,
  PageShape,
  Parameter,
  ParameterType,
  Plan,
  PlanResult,
  Preconditions,
  ReadPlan,
  RowRead,
  SearchedField,
  Selection,
  SetField,
  SetMember,
  SetRows,
  StateTransitions,
  SubscriptionPlan,
  TypeSelection,
  ValueSelection,
  Where,
  WriteBatch,
  WriteChecks,
  WritePlan,
} from './plan.ts'
export { isRows, setFields } from './plan.ts'
