// Who may keep an answer, and how long (docs/rest.md, R60, R65). With rules it depends on who asks, so that no shared cache may
// give it to someone else, but where the file says that it may and everyone sees the same.

import type { Model } from '#model'
import { CachePolicies, isOpen, type Read, spellPolicy } from '#plan'

export class Caching {
  /** `Vary` of one row, and of a page. */
  readonly item: string
  readonly page: string
  readonly #otherwise: string
  readonly #policies: CachePolicies
  readonly #controls = new WeakMap<Read, string>()

  constructor(model: Model) {
    const ruled = !isOpen(model)
    this.item = ruled ? 'accept, authorization' : 'accept'
    this.page = `${this.item}, prefer`
    this.#otherwise = ruled ? 'private, no-cache' : 'no-cache'
    this.#policies = new CachePolicies(model)
  }

  control(read: Read): string {
    const known = this.#controls.get(read)
    if (known !== undefined) return known
    const policy = this.#policies.of(read)
    const control = policy.maxAge === 0 ? this.#otherwise : spellPolicy(policy)
    this.#controls.set(read, control)
    return control
  }
}
