// What adapters build plans with.

export { maxSearchLength } from '../check/check-parameter.ts'
export { isPossibleId, possibleIdMessage } from '../check/possible-id.ts'
export { countConditions } from '../limit/count-conditions.ts'
export { storedWords, wordRuleVersion } from '../search-words.ts'
export { fullVisibility, isFiltered, isHidden, type Visibility } from '../visibility.ts'
export { type BulkMatch, planBulk } from './bulk.ts'
export { cursorShape, orderName, readCursor, writeCursor } from './cursor.ts'
export {
  addTypeKeys,
  computedInputs,
  idKey,
  isHiddenKey,
  planArguments,
  planNamedRows,
  typeKey,
  usesCustomCode,
} from './custom-results.ts'
export { cutTypes, maxCutLength } from './cut.ts'
export { allValueFields, defaultSelection, valueTypeIn } from './default-selection.ts'
export { memberAlias, typeAlias, withUsedAliases } from './deprecated-names.ts'
export { planDistinct } from './distinct.ts'
export { readGroupKeys, readGroupOrder, readHaving } from './groups/group-arguments.ts'
export { maxGroupKeys, pathOf, type RequestedKey } from './groups/group-keys.ts'
export type { RequestedGroupOrder } from './groups/group-order.ts'
export { maxMeasures } from './groups/measures.ts'
export {
  maxGroups,
  planGroups,
  type RequestedCondition,
  type RequestedGroupSelection,
  type RequestedGroups,
} from './groups/plan-groups.ts'
export { changedFields, hasHistory, historyName, newestVersion, planHistory, planReversion } from './history.ts'
export { expectPossibleNewId, idOf, resolveEarlierId, withEarlierIds } from './ids.ts'
export { imageArguments, planImage } from './image-url.ts'
export {
  captchaMember,
  defaultValue,
  expectRows,
  isCaptcha,
  isPassword,
  isRequiredInput,
  planCreates,
  planDeletion,
  planInput,
} from './input.ts'
export { jsonWhere, whereShape } from './json-where.ts'
export { readKeyArgument } from './key-argument.ts'
export { keyType, keyWhere, planKey, printKey, type RequestKeyPart, withKey, withoutKey } from './keys.ts'
export { planNewAccount } from './new-account.ts'
export { orderKeyName, orderKeyType, planOrder } from './order.ts'
export { orderEntries } from './order-entries.ts'
export { countWord } from './order-paths.ts'
export { type OwnedValues, ownedTypes, planOwnedRows } from './owned-rows.ts'
export { checkOffset, checkPageSize, defaultPageSize, keysetPage, offsetPage, pageSizeOf } from './page.ts'
export { PlanBuilder } from './plan-builder.ts'
export { PlannedCreates } from './planned-creates.ts'
export { planRedelivery } from './redelivery.ts'
export { currentValue, deriveValue, RequestValue, resolveValues } from './request-value.ts'
export { isSearchable, planSearch, searchShape } from './search.ts'
export { bindPlan, type UnboundPlan, type UnboundValues } from './unbound-plan.ts'
export { planMerge, planMerges, planUpsert, type Resolution } from './upserts.ts'
export { limitConditions, planWhere, targetType } from './where.ts'
