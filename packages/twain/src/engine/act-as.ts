// Whether a viewer may act as an account, or as any: the rules of the account type that name ACT_AS.

import type { Viewer } from '#base/http'
import type { Model } from '#model'
import { type Authority, isAlways, isNever } from '#plan'
import type { Store } from '#store'
import { holdsOnRow } from './holds-on-row.ts'

/** Null: the account of the viewer's choice. */
export type MayActAs = (account: string | null, viewer: Viewer) => Promise<boolean>

export function openActAs(model: Model, authority: Authority, store: Pick<Store, 'run'>): MayActAs {
  const of = model.account?.resource ?? null
  return async (account, viewer) => {
    if (of === null) return false
    const condition = authority.actAs(of, viewer)
    if (account === null || isNever(condition)) return isAlways(condition)
    return holdsOnRow({ of, id: account, condition }, viewer, authority, store)
  }
}
