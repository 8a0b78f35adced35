// What of a contract is deprecated, and what an answer tells of it: since when, and when it ends, by the first ISO date that
// stands in the reason. GraphQL has no @deprecated for types: one whose every field is deprecated counts as such.

import { canonicalDateTime, isDate } from '#base'
import type { Model } from '#model'
import { type AnyPlan, schemaUsageOf } from './schema-usage.ts'

/** In milliseconds since 1970. */
export interface Deprecation {
  since: number
  /** Null where no reason says it. */
  sunset: number | null
}

/** By the name of the type, field or operation (`named-in.ts`), its reason. */
export function deprecationReasons({ resources, values, operations }: Model): Map<string, string> {
  const found = new Map<string, string>()
  const note = (path: string, reason: string | null) => {
    if (reason !== null) found.set(path, reason)
  }
  for (const { name, fields, computed } of resources) {
    const all = [...fields.values(), ...computed.values()]
    for (const field of all) note(`${name}.${field.name}`, field.deprecated)
    const own = all.filter((field) => field.name !== 'id')
    const reasons = own.flatMap(({ deprecated }) => deprecated ?? [])
    if (own.length > 0 && reasons.length === own.length) note(name, reasons.join(' '))
  }
  for (const { name, fields } of values) {
    for (const field of fields.values()) note(`${name}.${field.name}`, field.deprecated)
  }
  for (const { root, name, deprecated } of operations) note(`${root}.${name}`, deprecated)
  return found
}

/** What plans meet of it. Made only for a contract that has some. */
export class Deprecations {
  readonly #all = new Map<string, Deprecation>()
  readonly #known = new WeakMap<AnyPlan, Deprecation | null>()

  /** `since` says of each name when it was first served so. */
  constructor(reasons: ReadonlyMap<string, string>, since: ReadonlyMap<string, number>) {
    for (const [path, reason] of reasons) {
      const sunset = sunsetOf(reason)
      const first = since.get(path) ?? Date.now()
      // RFC 9745, section 4: what ends was deprecated no later than that.
      this.#all.set(path, { since: sunset === null ? first : Math.min(first, sunset), sunset })
    }
  }

  /** Null where the plan names nothing that is deprecated. */
  ofPlan(plan: AnyPlan): Deprecation | null {
    const known = this.#known.get(plan)
    if (known !== undefined) return known
    const { selected: answered, referenced: given } = schemaUsageOf(plan)
    let met: Deprecation | null = null
    for (const path of [...answered, ...given]) met = earliestDeprecation(met, this.#all.get(path) ?? null)
    this.#known.set(plan, met)
    return met
  }
}

/** The first to be told of: of several, what was deprecated first and what ends first. */
export function earliestDeprecation(one: Deprecation | null, other: Deprecation | null): Deprecation | null {
  if (one === null || other === null) return one ?? other
  const sunsets = [one.sunset, other.sunset].filter((time) => time !== null)
  return { since: Math.min(one.since, other.since), sunset: sunsets.length === 0 ? null : Math.min(...sunsets) }
}

const datePattern = /\d{4}-\d\d-\d\d(?:[Tt][\d:.]+(?:[Zz]|[+-]\d\d:\d\d))?/g

/** The first that stands in the calendar; a day is its beginning. */
function sunsetOf(reason: string): number | null {
  for (const [text] of reason.matchAll(datePattern)) {
    const day = text.slice(0, 10)
    const moment = canonicalDateTime(text) ?? (isDate(day) ? `${day}T00:00:00.000Z` : null)
    if (moment !== null) return Date.parse(moment)
  }
  return null
}

/** RFC 9745, RFC 8594. */
export function deprecationHeaders({ since, sunset }: Deprecation): {
  deprecation: string
  sunset?: string
  link: string
} {
  return {
    deprecation: `@${Math.floor(since / 1000)}`,
    ...(sunset === null ? {} : { sunset: new Date(sunset).toUTCString() }),
    link: '</docs>; rel="deprecation"; type="text/html"',
  }
}
