// The `Cache-Control` and `Vary` headers of a response: the strictest `@cacheControl` of all its fields. With rules a response
// depends on the viewer.

import type { Model } from '#model'
import { CachePolicies, type CachePolicy, isUnrestricted, printCacheControl } from '#plan'
import type { PlannedCustomField, PlannedField, PlannedOperation, PlannedRead } from '../plan/plan-operation.ts'
import type { RootResult } from './execution-context.ts'

export type GraphqlHeaders = Record<string, string>

export class ResponseCaching {
  readonly #hasRules: boolean
  readonly #policies: CachePolicies

  constructor(model: Model) {
    this.#hasRules = !isUnrestricted(model)
    this.#policies = new CachePolicies(model)
  }

  /** The header of this response; null: the default of `headers`. */
  control({ isSecret, roots }: PlannedOperation, results: readonly RootResult[], method: string): string | null {
    if (isSecret) return 'no-store'
    if (method === 'POST') return null
    const reads = roots.flatMap((root) => (isRead(root) ? [this.#policies.of(root.plan)] : []))
    const isWhole = reads.length === roots.length && results.every(hasNoError)
    const policy = strictest(reads)
    return isWhole && policy.maxAge > 0 ? printCacheControl(policy) : null
  }

  /** The default headers. With rules no shared cache may give a response to another viewer. */
  headers(method: string): GraphqlHeaders {
    const vary = this.#hasRules ? 'accept, authorization' : 'accept'
    if (method === 'POST') return { vary }
    return { vary, 'cache-control': this.#hasRules ? 'private, no-cache' : 'no-cache' }
  }
}

/** The policy of several results in one response: the shortest age, and public only if all are. */
function strictest(policies: readonly CachePolicy[]): CachePolicy {
  return {
    maxAge: policies.length === 0 ? 0 : Math.min(...policies.map(({ maxAge }) => maxAge)),
    isPublic: policies.every(({ isPublic }) => isPublic),
  }
}

function isRead(root: PlannedField): root is PlannedField & (PlannedRead | PlannedCustomField) {
  return root.kind === 'read' || root.kind === 'custom'
}

/** A response with errors is not cached: the next request may succeed. */
function hasNoError(result: RootResult): boolean {
  return 'text' in result && result.errors.length === 0
}
