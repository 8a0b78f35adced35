// A rehearsal: the store makes a write, judges everything about it, and undoes it.

import type { Viewer } from '#base/http'
import type { PlanResult } from '#plan'
import type { OpenTransaction, Store } from '#store'

/** Rejects as the write itself would. */
export type RehearseWrite = <Result extends PlanResult>(
  write: (inside: Pick<OpenTransaction, 'run' | 'transact'>) => Promise<Result>,
  viewer: Viewer,
) => Promise<Result>

export function rehearsalIn(store: Pick<Store, 'transaction'>): RehearseWrite {
  return (write, viewer) => store.transaction((inside) => inside.dryRun(() => write(inside)), viewer)
}
