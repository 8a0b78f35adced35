// `Cache-Control` and `Vary` of reads (docs/reference/rest.md, R60, R65). With rules a result depends on the viewer: it is
// private, unless the schema allows shared caching and every viewer gets the same result.

import type { Model } from '#model'
import { CachePolicies, type CustomCall, isUnrestricted, printCacheControl, type ReadPlan } from '#plan'

export class CacheHeaders {
  /** `Vary` of one row. */
  readonly itemVary: string
  readonly pageVary: string
  readonly #fallback: string
  readonly #policies: CachePolicies
  readonly #controls = new WeakMap<ReadPlan | CustomCall, string>()

  constructor(model: Model) {
    const ruled = !isUnrestricted(model)
    this.itemVary = ruled ? 'accept, authorization' : 'accept'
    this.pageVary = `${this.itemVary}, prefer`
    this.#fallback = ruled ? 'private, no-cache' : 'no-cache'
    this.#policies = new CachePolicies(model)
  }

  cacheControl(plan: ReadPlan | CustomCall): string {
    const known = this.#controls.get(plan)
    if (known !== undefined) return known
    const policy = this.#policies.of(plan)
    // Custom code may return something personal, even without rules.
    const fallback = plan.kind === 'call' ? 'private, no-cache' : this.#fallback
    const control = policy.maxAge === 0 ? fallback : printCacheControl(policy)
    this.#controls.set(plan, control)
    return control
  }
}
