// Headers of responses: `Cache-Control` and `Vary`, links to other pages, and deprecations.

import { andThen, type MaybePromise } from '#base'
import type { HttpReply, HttpRequest } from '#base/http'
import type { Model } from '#model'
import { CachePolicies, type CustomCall, isOfServer, isUnrestricted, printCacheControl, type ReadPlan } from '#plan'
import {
  type AnyBoundPlan,
  type Deprecation,
  type Deprecations,
  deprecationHeaders,
  earliestDeprecation,
} from '#plan/explain'

/** `Cache-Control` and `Vary` of reads (docs/reference/rest.md, R60, R65). With rules a result depends on the viewer: it is
 *  private, unless the schema allows shared caching and every viewer gets the same result. */
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
    if (isOfServer(plan)) return 'no-store'
    const policy = this.#policies.of(plan)
    // Custom code may return something personal, even without rules.
    const fallback = plan.kind === 'call' ? 'private, no-cache' : this.#fallback
    const control = policy.maxAge === 0 ? fallback : printCacheControl(policy)
    this.#controls.set(plan, control)
    return control
  }
}

/** Each link repeats the query, and clients limit the size of headers. */
const maxQueryCharacters = 2000

/** `Link` (RFC 8288) to the other pages of a collection, with the same other parameters (docs/reference/rest.md, R32, R34).
 *  Of an offset page; null if there are none. `limit=0` has no next page. */
export function offsetLinks(
  path: string,
  unpagedParts: readonly string[],
  page: { limit: number; offset: number; more: boolean },
): string | null {
  const { limit, offset, more } = page
  const query = unpagedParts.join('&')
  const short = query.length <= maxQueryCharacters
  const hasNext = more && limit > 0
  if (!short && !hasNext) return null
  const base = address(path, query)
  let links = ''
  if (short) add('first', 0)
  if (short && offset > 0 && limit > 0) add('prev', Math.max(0, offset - limit))
  if (hasNext) add('next', offset + limit)
  return links

  function add(rel: string, to: number): void {
    links += `${links === '' ? '' : ', '}<${base}offset=${to}&limit=${limit}>; rel="${rel}"`
  }
}

/** The link to the next cursor page; null if the cursor is too long for a header, as when sorting by long texts. */
export function cursorLink(path: string, unpagedParts: readonly string[], endCursor: string): string | null {
  if (endCursor.length > maxQueryCharacters) return null
  return `<${address(path, unpagedParts.join('&'))}after=${encodeURIComponent(endCursor)}>; rel="next"`
}

/** Up to where the parameters of the page begin. */
function address(path: string, query: string): string {
  return `${path}?${query}${query === '' ? '' : '&'}`.replace(/[<>"\\^`{|}]/g, encodeURIComponent)
}

/** Adds `Deprecation`, `Sunset` and a `Link` to the documentation to responses of requests that use something deprecated
 *  (docs/reference/rest.md, R180). Only created if the schema deprecates something. */
export class DeprecationHeaders {
  readonly #deprecations: Deprecations
  readonly #found = new WeakMap<HttpRequest, Deprecation>()

  constructor(deprecations: Deprecations) {
    this.#deprecations = deprecations
  }

  record(request: HttpRequest, boundPlan: AnyBoundPlan): void {
    this.#add(request, this.#deprecations.of(boundPlan))
  }

  recordNames(request: HttpRequest, paths: readonly string[]): void {
    for (const path of paths) this.#add(request, this.#deprecations.ofPath(path))
  }

  #add(request: HttpRequest, deprecation: Deprecation | null): void {
    const met = earliestDeprecation(this.#found.get(request) ?? null, deprecation)
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
