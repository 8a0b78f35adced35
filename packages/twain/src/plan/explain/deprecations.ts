// What a model deprecates, and the response headers for it. The sunset is the first ISO date in the reason. GraphQL has no
// @deprecated for types: a type counts as deprecated if all its fields are.

import { canonicalDateTime, isDate } from '#base'
import { wallTime } from '#base/time'
import type { Model } from '#model'
import { aliasesIn, allDeprecatedNames, argumentPath } from '../build/deprecated-names.ts'
import type { BoundPlan } from '../plan.ts'
import type { AnyPlan } from '../visit-plan.ts'
import { schemaUsageOf } from './schema-usage.ts'

export type AnyBoundPlan = BoundPlan<AnyPlan>

/** Times in milliseconds since 1970. */
export interface Deprecation {
  since: number
  /** Null: the reason has no date. */
  sunset: number | null
}

/** The reasons by the name of the type, field or operation (`schema-usage.ts`). */
export function deprecationReasons(model: Model): Map<string, string> {
  const { resources, views, values, inputs, enums, operations } = model
  const found = new Map<string, string>()
  const note = (path: string, reason: string | null) => {
    if (reason !== null) found.set(path, reason)
  }
  for (const { name, fields, computed } of [...resources, ...views]) {
    const all = [...fields.values(), ...computed.values()]
    for (const field of all) note(`${name}.${field.name}`, field.deprecated)
    const fieldsButId = all.filter((field) => field.name !== 'id')
    const reasons = fieldsButId.flatMap(({ deprecated }) => deprecated ?? [])
    if (fieldsButId.length > 0 && reasons.length === fieldsButId.length) note(name, reasons.join(' '))
  }
  for (const { name, fields } of [...values, ...inputs]) {
    for (const field of fields.values()) note(`${name}.${field.name}`, field.deprecated)
  }
  for (const of of enums) for (const { name, deprecated } of of.values) note(`${of.name}.${name}`, deprecated)
  for (const { root, name, deprecated } of operations) note(`${root}.${name}`, deprecated)
  const withArguments = [...resources.flatMap(({ computed }) => [...computed.values()]), ...operations]
  for (const of of withArguments) for (const arg of of.args) note(argumentPath(of, arg), arg.deprecated)
  for (const alias of aliasesIn(model)) note(alias, 'It has another name now.')
  return found
}

/** The deprecations that plans use. Made only for a model that has some. */
export class Deprecations {
  readonly #all = new Map<string, Deprecation>()
  readonly #byPlan = new WeakMap<AnyPlan, Deprecation | null>()

  /** `since` has the time at which each name was first served as deprecated. */
  constructor(reasons: ReadonlyMap<string, string>, since: ReadonlyMap<string, number>) {
    for (const [path, reason] of reasons) {
      const sunset = sunsetOf(reason)
      const first = since.get(path) ?? wallTime()
      // RFC 9745, section 4: the sunset is not earlier than the deprecation.
      this.#all.set(path, { since: sunset === null ? first : Math.min(first, sunset), sunset })
    }
  }

  /** Null: the request uses nothing deprecated. */
  of({ plan, values, deprecated }: AnyBoundPlan): Deprecation | null {
    const used = this.#ofPlan(plan)
    if (deprecated === undefined) return used
    const names = allDeprecatedNames(deprecated, values)
    return names.reduce((met, path) => earliestDeprecation(met, this.ofPath(path)), used)
  }

  ofPath(path: string): Deprecation | null {
    return this.#all.get(path) ?? null
  }

  #ofPlan(plan: AnyPlan): Deprecation | null {
    const known = this.#byPlan.get(plan)
    if (known !== undefined) return known
    const { selected, referenced } = schemaUsageOf(plan)
    let found: Deprecation | null = null
    for (const path of [...selected, ...referenced]) found = earliestDeprecation(found, this.#all.get(path) ?? null)
    this.#byPlan.set(plan, found)
    return found
  }
}

/** Of several deprecations: the earliest time and the earliest sunset. */
export function earliestDeprecation(one: Deprecation | null, other: Deprecation | null): Deprecation | null {
  if (one === null || other === null) return one ?? other
  const sunsets = [one.sunset, other.sunset].filter((time) => time !== null)
  return { since: Math.min(one.since, other.since), sunset: sunsets.length === 0 ? null : Math.min(...sunsets) }
}

const datePattern = /\d{4}-\d\d-\d\d(?:[Tt][\d:.]+(?:[Zz]|[+-]\d\d:\d\d))?/g

/** The first valid date; a day counts from its beginning. */
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
