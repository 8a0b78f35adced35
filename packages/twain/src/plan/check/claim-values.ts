// Claims of tokens as values of rules and defaults: which shape a viewer's claim has for a use, and its canonical value.
//
// A claim that is missing, of another type, or an empty list has no value. Then the condition that names it matches nothing
// (`../authorize/resolve-claims.ts`).

import type { Problem } from '#base'
import type { ViewerClaims } from '#base/http'
import type { StoredType } from '#model'
import type { ClaimValue } from '../plan.ts'
import { checkValue } from './check-value.ts'

/** What the claim of a viewer is for one use of it: missing (or of another type), one value, or a list of values. */
export type ClaimShape = 'none' | 'one' | 'list'

const maxListedValues = 1000

export function claimShape(name: string, type: StoredType, claims: ViewerClaims | undefined): ClaimShape {
  const value = ownValue(claims?.values, name)
  if (value === undefined) return 'none'
  if (!Array.isArray(value)) return canonicalValue(type, value) === undefined ? 'none' : 'one'
  return canonicalList(type, value) === undefined ? 'none' : 'list'
}

/** The canonical value. Only for claims that have a shape: the class of a viewer decides that. */
export function boundClaim({ claim, type, isList }: ClaimValue, claims: ViewerClaims | undefined): unknown {
  const value = ownValue(claims?.values, claim)
  const bound = Array.isArray(value) ? canonicalList(type, value) : canonicalValue(type, value)
  if (bound === undefined) throw new Error(`the viewer has no claim ${claim}`)
  return isList && !Array.isArray(bound) ? [bound] : bound
}

/** The value of a field that a create leaves out; undefined: the viewer has no such claim, or it does not fit. */
export function claimedDefault(
  name: string,
  type: StoredType,
  values: Readonly<Record<string, unknown>> | undefined,
): unknown {
  return canonicalValue(type, ownValue(values, name))
}

function ownValue(values: Readonly<Record<string, unknown>> | undefined, name: string): unknown {
  if (values === undefined || !Object.hasOwn(values, name)) return undefined
  return values[name] ?? undefined
}

function canonicalList(type: StoredType, values: readonly unknown[]): unknown[] | undefined {
  if (values.length === 0 || values.length > maxListedValues) return undefined
  const canonical = canonicalValue({ kind: 'list', of: type, itemRequired: true }, values)
  return canonical as unknown[] | undefined
}

/** Undefined: there is no value, or it is of another type. */
function canonicalValue(type: StoredType, value: unknown): unknown {
  if (value === undefined) return undefined
  const problems: Problem[] = []
  const canonical = checkValue(type, value, '', problems)
  return problems.length === 0 ? canonical : undefined
}
