// Whether a viewer may act as an account, or as any: the rules of the account type that name ACT_AS.

import type { Viewer } from '#base/http'
import type { Model } from '#model'
import { type Authority, type AuthorizedPlan, isAlways, isNever, type RowRead, type Where } from '#plan'
import type { Store } from '#store'

/** Null: the account of the viewer's choice. */
export type MayActAs = (account: string | null, viewer: Viewer) => Promise<boolean>

export function openActAs(model: Model, authority: Authority, store: Pick<Store, 'run'>): MayActAs {
  const of = model.account?.resource ?? null
  /** The store caches compiled statements by the plan. */
  const reads = new WeakMap<Where, AuthorizedPlan<RowRead>>()
  return async (account, viewer) => {
    if (of === null) return false
    const guard = authority.actAs(of, viewer)
    if (account === null || isNever(guard)) return isAlways(guard)
    const read = reads.get(guard) ?? authority.judge(of, guard)
    reads.set(guard, read)
    const found = await store.run(read, [account], { fresh: true }, viewer)
    return found.kind === 'one' && found.text !== null
  }
}
