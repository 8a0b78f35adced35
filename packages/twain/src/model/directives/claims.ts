// `{claim: "org_id"}` in the schema file: a value that a token of an external issuer brings along. It stands where a filter of a
// rule or a default has a value.

import { type ConstValueNode, Kind } from 'graphql/language'
import { didYouMean } from '#base'
import { placeOf } from '../mistakes.ts'
import type { Json, NamedClaim, StoredType } from '../model.ts'
import type { DeclaredModel } from '../parse/declare-types.ts'
import { printType } from '../print-type.ts'
import { type FilterOperator, operatorsOf } from '../values/operators.ts'

/** A claim in the place of a value, as plain JSON. */
export type ClaimJson = { claim: string }

/** The operators that a claim fits. The others search in texts, or take no value. */
const claimOperators: readonly FilterOperator[] = ['eq', 'ne', 'in', 'notIn', 'lt', 'lte', 'gt', 'gte']

export function isClaimJson(json: unknown): json is ClaimJson {
  if (typeof json !== 'object' || json === null) return false
  const [name, ...others] = Object.keys(json)
  return name === 'claim' && others.length === 0 && typeof (json as { claim: unknown }).claim === 'string'
}

/** Whether the value is written as a claim. An object can be a value of a type that takes any JSON, so those types have none. */
export function isClaimNode(node: ConstValueNode, type: StoredType): boolean {
  if (node.kind !== Kind.OBJECT || node.fields.length === 0) return false
  const item = type.kind === 'list' ? type.of : type
  return takesClaims(item) && node.fields.some(({ name }) => isClaim(name) || didYouMean(name.value, ['claim']) !== '')
}

/** A claim inside a list of values has no meaning: a claim that is a list is the whole list. */
export function claimInList(node: ConstValueNode, type: StoredType): ConstValueNode | undefined {
  return node.kind === Kind.LIST ? node.values.find((item) => isClaimNode(item, type)) : undefined
}

function isClaim({ value }: { value: string }): boolean {
  return value === 'claim'
}

function takesClaims(type: StoredType): boolean {
  if (type.kind === 'custom' || type.kind === 'value' || type.kind === 'list') return false
  return operatorsOf(type).includes('eq')
}

/** Reads `{claim: "org_id"}` and notes the use. Null after a mistake. */
export function readClaim(
  node: ConstValueNode,
  type: StoredType,
  what: string,
  declarations: DeclaredModel,
): string | null {
  const { report, claims } = declarations
  const fields = node.kind === Kind.OBJECT ? node.fields : []
  const [field, ...others] = fields
  if (field === undefined || !isClaim(field.name) || others.length > 0) {
    const wrong = fields.find(({ name }) => !isClaim(name)) ?? field
    const near = wrong === undefined ? '' : didYouMean(wrong.name.value, ['claim'])
    report.at(wrong?.name ?? node, 'A claim has a name and nothing else.', near.trim() || 'Write: {claim: "org_id"}.')
    return null
  }
  const { value } = field
  if (value.kind !== Kind.STRING || value.value.trim() === '') {
    report.at(value, 'A claim is named by a text.', 'Write: {claim: "org_id"}.')
    return null
  }
  if (type.kind === 'enum' && isStateMachine(type.enum.name, declarations)) {
    report.at(node, `${what} is a state machine (@next), which no claim can set or be compared with.`, 'Write a state.')
    return null
  }
  const used: NamedClaim = { name: value.value, type, what, place: placeOf(node) }
  if (!claims.some((one) => isSameClaim(one, used))) claims.push(used)
  return value.value
}

/** Two uses that the same values of a token fit. */
export function isSameClaim(a: Pick<NamedClaim, 'name' | 'type'>, b: Pick<NamedClaim, 'name' | 'type'>): boolean {
  return a.name === b.name && printType(a.type) === printType(b.type)
}

/** The claim that an operator of a filter compares a field with. */
export function readComparedClaim(
  node: ConstValueNode,
  operator: FilterOperator,
  type: StoredType,
  what: string,
  declarations: DeclaredModel,
): Json {
  if (!claimOperators.includes(operator)) {
    const fitting = operatorsOf(type).filter((one) => claimOperators.includes(one))
    const hint = `Write one of ${fitting.join(', ')}.`
    declarations.report.at(node, `${operator} can't compare ${what} with a claim.`, hint)
    return null
  }
  if (type.kind === 'list') {
    const hint = 'Compare a field of one value with it: a claim that is a list means "one of these".'
    declarations.report.at(node, `${what} is a list, which can't be compared with a claim.`, hint)
    return null
  }
  const claim = readClaim(node, type, what, declarations)
  return claim === null ? null : { claim }
}

function isStateMachine(name: string, { outline }: DeclaredModel): boolean {
  const values = outline.types.get(name)?.values.values() ?? []
  return [...values].some(({ uses }) => uses.some((use) => use.name === 'next'))
}
