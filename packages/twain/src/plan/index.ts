export { Authority, type AuthorizedPlan, signInRequired, type WriteKind } from './authorize/authorize.ts'
export { isAlways, isNever } from './authorize/conditions.ts'
export { isGuest } from './authorize/guest.ts'
export { negatedLists } from './authorize/rule-links.ts'
export { actingRoles, isForAll, isUnrestricted } from './authorize/viewer-class.ts'
export { CachePolicies, type CachePolicy, printCacheControl } from './cache-policy.ts'
export { check } from './check/check.ts'
export { checkPassword, checkStored, isListTooLong } from './check/check-parameter.ts'
export { checkValue } from './check/check-value.ts'
export { boundClaim, claimedDefault, claimShape } from './check/claim-values.ts'
export { containsEnum, unknownEnumValues } from './check/enum-values.ts'
export {
  checkVariant,
  type ImageFormat,
  type ImageVariant,
  imageFits,
  imageFormats,
  variantQuery,
} from './check/image-variant.ts'
export { aggregateScan } from './limit/aggregate-scan.ts'
export { costRule, exceededLimit, limit, type PlanMeasure } from './limit/limit.ts'
export { defaultLimits, type Limits } from './limit/limits.ts'
export { cursorMarker, failureMarker, forbiddenMarker, signatureMarker } from './markers.ts'
export type {
  AccountLock,
  AccountProof,
  BoundPlan,
  BulkWrite,
  ChangedField,
  ChangeKind,
  ChangeProof,
  ClaimValue,
  CodeFailure,
  CodeProof,
  ComparedField,
  ComparedValue,
  ComputedKey,
  ComputedSelection,
  Confirmation,
  ConnectionSelection,
  ConstantValue,
  CountOptions,
  CustomCall,
  CustomCallResult,
  CustomResult,
  DeletedRows,
  EdgeSelection,
  EntrySelection,
  FieldChangeSelection,
  GroupCondition,
  GroupedField,
  GroupKey,
  GroupOrder,
  GroupRead,
  GroupSelection,
  Guard,
  HistoryEdgeSelection,
  HistoryRead,
  HistorySelection,
  InvitationProof,
  KeyPart,
  ListChecks,
  LoginChange,
  Measure,
  NewIdentity,
  NewSession,
  OffsetBounds,
  OrderKey,
  OrderStep,
  PageBounds,
  PageInfoSelection,
  PageRead,
  PageShape,
  Parameter,
  Plan,
  PlanResult,
  Preconditions,
  ReadPlan,
  Reversion,
  RowLocator,
  RowRead,
  SealedMail,
  SearchedField,
  Selection,
  SessionMethod,
  SetField,
  SetList,
  SetMember,
  SignUp,
  StateTransitions,
  SubscriptionPlan,
  TypeSelection,
  ValueSelection,
  Where,
  WriteBatch,
  WriteChecks,
  WritePlan,
} from './plan.ts'
export { isOfServer, isReadPlan, isRehearsal, isRows, isSetField, isSetList, nestedSets, setFields } from './plan.ts'
export { planBytes } from './plan-bytes.ts'
export { conditionsIn, groupedFields, rowsBelow, rowsOf, someCondition } from './visit-plan.ts'
