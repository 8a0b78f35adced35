export { Authority, type AuthorizedPlan, type WriteKind } from './authorize/authorize.ts'
export { isNever } from './authorize/conditions.ts'
export { type ChangeKind, type Sighting, toldAs } from './authorize/event-kind.ts'
export { RefusedRead } from './authorize/forbidden-read.ts'
export { isAlwaysThere, servedNullable } from './authorize/nullability.ts'
export { levelOf, membersIn, type PlanMember, pickedFields } from './authorize/selected-fields.ts'
export { signInFirst } from './authorize/sign-in-first.ts'
export { isOpen } from './authorize/viewer-class.ts'
export { fullSight, isHidden, type Sight } from './authorize/visibility.ts'
export { type Earlier, earlierId, withEarlier } from './build/back-reference.ts'
export { planCreates } from './build/batch.ts'
export { cursorShape, orderName, writeCursor } from './build/cursor.ts'
export {
  idMark,
  isComputed,
  isHiddenKey,
  isOwn,
  markTypes,
  pickFrom,
  planArguments,
  planNamedRows,
  typeMark,
} from './build/custom-operation.ts'
export { defaultPicks, valueIn, wholeValue } from './build/default-selection.ts'
export { defaultValue } from './build/default-value.ts'
export { expectPossibleNewId, isPossibleId, possibleIds } from './build/ids.ts'
export { isRequiredInput, planInput } from './build/input.ts'
export { sourceWhere, whereShape } from './build/json-where.ts'
export { comparedType, meanings, type Operator, operators, sortable } from './build/operators.ts'
export { planOrder } from './build/order.ts'
export { checkOffset, checkPageSize, defaultPageSize, keysetPage, offsetPage } from './build/page.ts'
export { Draft, derive, now, Sourced, valuesAgain } from './build/plan-builder.ts'
export { isSearchable, longestSearch, planSearch, searchShape } from './build/search.ts'
export { jsonOrText, textToValue } from './build/text-value.ts'
export { limitConditions, planWhere, targetType } from './build/where.ts'
export { keptWords, ruleOfWords } from './build/words.ts'
export { check } from './check/check.ts'
export { checkConstraint } from './check/check-constraint.ts'
export { isTooLong } from './check/check-parameter.ts'
export { checkScalar } from './check/check-value.ts'
export { decimalKey } from './check/decimal.ts'
export { type AccessRow, accessMatrix, type Verdict, type ViewerKind, viewerKinds } from './explain/access-matrix.ts'
export { type Deprecated, Deprecations, deprecatedIn, deprecationHeaders, earliest } from './explain/deprecations.ts'
export { spellCondition, spellMover } from './explain/describe-rule.ts'
export { drawStates } from './explain/draw-state-machines.ts'
export { exampleCreate, exampleId, exampleMerge, exampleRow, exampleTime, exampleValue } from './explain/examples.ts'
export { waysIn, waysToRead } from './explain/explain-denial.ts'
export { guessableFields } from './explain/guessable-fields.ts'
export { type Named, type Naming, namedIn } from './explain/schema-usage.ts'
export { failureIn, failureMark } from './failure.ts'
export { hasSignatures, signatureMarker, withSignatures } from './file-url.ts'
export { hasRefusals, refusalMarker, withRefusals } from './forbidden-field.ts'
export { CachePolicies, leastPolicy, spellPolicy } from './limit/cache-policy.ts'
export { countConditions } from './limit/count-conditions.ts'
export { limit, type Measure, overLimit } from './limit/limit.ts'
export { defaultLimits, type Limits, weights } from './limit/limits.ts'
export type {
  Answer,
  Batch,
  Call,
  Called,
  Case,
  CompareOp,
  ComputedPick,
  ConnectionPick,
  Constant,
  Direction,
  EdgePick,
  Failure,
  Fits,
  Given,
  GivenArgument,
  Guard,
  Judge,
  Many,
  One,
  Order,
  OwnResult,
  Page,
  PageInfoPick,
  Pick,
  Plan,
  Question,
  Read,
  SearchedField,
  SetField,
  SetMember,
  SetRows,
  Shape,
  Slot,
  StateMoves,
  Target,
  ValuePick,
  Watch,
  Where,
  Write,
} from './plan.ts'
export { isRows, setFields } from './plan.ts'
