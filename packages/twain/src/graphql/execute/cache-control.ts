// How long a response may be kept, and by whom: what `@cacheControl` says of all that is in it, and never longer than
// who may read it is known.

import type { Model } from '#model'
import { CachePolicies, type CachePolicy, isUnrestricted, printCacheControl } from '#plan'
import type { PlannedCustomField } from '../plan/plan-custom-operation.ts'
import type { PlannedField, PlannedOperation, PlannedRead } from '../plan/plan-operation.ts'
import type { ReplyHeaders } from '../transport/reply.ts'
import type { RootResult } from './execute.ts'

export class ResponseCaching {
  readonly #hasRules: boolean
  readonly #policies: CachePolicies

  constructor(model: Model) {
    this.#hasRules = !isUnrestricted(model)
    this.#policies = new CachePolicies(model)
  }

  /** How long the answer may be kept, where that is said of all that is in it (`@cacheControl`); null: as it is for others. */
  control({ isSecret, roots }: PlannedOperation, results: readonly RootResult[], method: string): string | null {
    if (isSecret) return 'no-store'
    if (method === 'POST') return null
    const reads = roots.flatMap((root) => (isRead(root) ? [this.#policies.of(root.plan)] : []))
    const isWhole = reads.length === roots.length && results.every(hasNoError)
    const policy = strictest(reads)
    return isWhole && policy.maxAge > 0 ? printCacheControl(policy) : null
  }

  /** With rules an answer depends on who asks, so that no shared cache may give it to someone else. */
  headers(method: string): ReplyHeaders {
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
  return root.kind === 'read' || root.kind === 'own'
}

/** Nowhere in it: what failed may be there the next time. */
function hasNoError(result: RootResult): boolean {
  return 'text' in result && result.refused.length === 0
}
