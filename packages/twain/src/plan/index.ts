export { type AccessRow, accessMatrix, type Verdict, type ViewerKind, viewerKinds } from './access.ts'
export { isAlwaysThere, servedNullable } from './always-there.ts'
export { Authority, type AuthorizedPlan, type WriteKind } from './authorize.ts'
export { planCreates } from './batch.ts'
export { CachePolicies, leastPolicy, spellPolicy } from './cache-policy.ts'
export { check } from './check.ts'
export { checkConstraint } from './check-constraint.ts'
export { isTooLong } from './check-fit.ts'
export { checkScalar } from './check-value.ts'
export { isNever } from './conditions.ts'
export { countConditions } from './count-conditions.ts'
export { cursorShape, orderName, writeCursor } from './cursor.ts'
export { decimalKey } from './decimal.ts'
export { defaultPicks, valueIn, wholeValue } from './default-picks.ts'
export { defaultValue } from './default-value.ts'
export { type Deprecated, Deprecations, deprecatedIn, deprecationHeaders, earliest } from './deprecations.ts'
export { Draft, derive, now, Sourced, valuesAgain } from './draft.ts'
export { drawStates } from './draw-states.ts'
export { type Earlier, earlierId, withEarlier } from './earlier.ts'
export { exampleCreate, exampleId, exampleMerge, exampleRow, exampleTime, exampleValue } from './examples.ts'
export { failureIn, failureMark } from './failure.ts'
export { hasSignatures, signatureMarker, withSignatures } from './file-url.ts'
export { guessableFields } from './guessable.ts'
export { expectPossibleNewId, isPossibleId, possibleIds } from './ids.ts'
export { isRequiredInput, planInput } from './input.ts'
export { limit, type Measure, overLimit } from './limit.ts'
export { defaultLimits, type Limits, weights } from './limits.ts'
export { type Named, type Naming, namedIn } from './named-in.ts'
export { comparedType, meanings, type Operator, operators, sortable } from './operators.ts'
export { planOrder } from './order.ts'
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
} from './own.ts'
export { checkOffset, checkPageSize, defaultPageSize, keysetPage, offsetPage } from './page.ts'
export { levelOf, membersIn, type PlanMember, pickedFields } from './picked-fields.ts'
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
export { hasRefusals, refusalMarker, withRefusals } from './refusal.ts'
export { RefusedRead } from './refused-read.ts'
export { isSearchable, longestSearch, planSearch, searchShape } from './search.ts'
export { fullSight, isHidden, type Sight } from './sight.ts'
export { signInFirst } from './sign-in-first.ts'
export { sourceWhere, whereShape } from './source-where.ts'
export { spellCondition, spellMover } from './spell-rule.ts'
export { jsonOrText, textToValue } from './text-value.ts'
export { type ChangeKind, type Sighting, toldAs } from './told-as.ts'
export { isOpen } from './viewer-class.ts'
export { waysIn, waysToRead } from './ways-in.ts'
export { limitConditions, planWhere, targetType } from './where.ts'
export { keptWords, ruleOfWords } from './words.ts'
