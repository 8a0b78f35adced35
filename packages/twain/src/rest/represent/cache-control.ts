// Who may keep an answer, and how long (docs/reference/rest.md, R60, R65). With rules it depends on who asks, so that no shared cache may
// give it to someone else, but where the file says that it may and everyone sees the same.

import type { Model } from '#model'
import { CachePolicies, type CustomCall, isOpen, printCacheControl, type ReadPlan } from '#plan'

export class Caching {
  /** `Vary` of one row, and of a page. */
  readonly item: string
  readonly page: string
  readonly #otherwise: string
  readonly #policies: CachePolicies
  readonly #controls = new WeakMap<ReadPlan | CustomCall, string>()

  constructor(model: Model) {
    const ruled = !isOpen(model)
    this.item = ruled ? 'accept, authorization' : 'accept'
    this.page = `${this.item}, prefer`
    this.#otherwise = ruled ? 'private, no-cache' : 'no-cache'
    this.#policies = new CachePolicies(model)
  }

  control(asked: ReadPlan | CustomCall): string {
    const known = this.#controls.get(asked)
    if (known !== undefined) return known
    const policy = this.#policies.of(asked)
    // What own code answers may be for who asked, rules or none.
    const otherwise = asked.kind === 'call' ? 'private, no-cache' : this.#otherwise
    const control = policy.maxAge === 0 ? otherwise : printCacheControl(policy)
    this.#controls.set(asked, control)
    return control
  }
}
