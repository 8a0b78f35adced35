// Who may keep an answer, and how long (docs/reference/rest.md, R60, R65). With rules it depends on who asks, so that no shared cache may
// give it to someone else, but where the file says that it may and everyone sees the same.

import type { Model } from '#model'
import { CachePolicies, type CustomCall, isUnrestricted, printCacheControl, type ReadPlan } from '#plan'

export class CacheHeaders {
  /** `Vary` of one row, and of a page. */
  readonly itemVary: string
  readonly pageVary: string
  readonly #otherwise: string
  readonly #policies: CachePolicies
  readonly #controls = new WeakMap<ReadPlan | CustomCall, string>()

  constructor(model: Model) {
    const ruled = !isUnrestricted(model)
    this.itemVary = ruled ? 'accept, authorization' : 'accept'
    this.pageVary = `${this.itemVary}, prefer`
    this.#otherwise = ruled ? 'private, no-cache' : 'no-cache'
    this.#policies = new CachePolicies(model)
  }

  cacheControl(plan: ReadPlan | CustomCall): string {
    const known = this.#controls.get(plan)
    if (known !== undefined) return known
    const policy = this.#policies.of(plan)
    // What own code answers may be for who plan, rules or none.
    const otherwise = plan.kind === 'call' ? 'private, no-cache' : this.#otherwise
    const control = policy.maxAge === 0 ? otherwise : printCacheControl(policy)
    this.#controls.set(plan, control)
    return control
  }
}
