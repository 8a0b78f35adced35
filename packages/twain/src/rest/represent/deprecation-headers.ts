// Adds `Deprecation`, `Sunset` and a `Link` to the documentation to responses of requests that use something deprecated
// (docs/reference/rest.md, R180). Only created if the schema deprecates something.

import { andThen, type MaybePromise } from '#base'
import type { HttpReply, HttpRequest } from '#base/http'
import {
  type AnyPlan,
  type Deprecation,
  type Deprecations,
  deprecationHeaders,
  earliestDeprecation,
} from '#plan/explain'

export class DeprecationHeaders {
  readonly #deprecations: Deprecations
  readonly #found = new WeakMap<HttpRequest, Deprecation>()

  constructor(deprecations: Deprecations) {
    this.#deprecations = deprecations
  }

  record(request: HttpRequest, plan: AnyPlan): void {
    const met = earliestDeprecation(this.#found.get(request) ?? null, this.#deprecations.ofPlan(plan))
    if (met !== null) this.#found.set(request, met)
  }

  addHeaders(request: HttpRequest, reply: MaybePromise<HttpReply>): MaybePromise<HttpReply> {
    return andThen(reply, (there) => {
      const met = this.#found.get(request)
      return met === undefined ? there : withHeaders(there, met)
    })
  }
}

/** Appends to the links to other pages. */
function withHeaders(reply: HttpReply, met: Deprecation): HttpReply {
  const { link, ...others } = deprecationHeaders(met)
  const links = reply.headers.link === undefined ? link : `${reply.headers.link}, ${link}`
  return { ...reply, headers: { ...reply.headers, ...others, link: links } }
}
