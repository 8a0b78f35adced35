// Refreshes a watched query from the change log. When a change may concern its result, it refetches, at once or after the current
// request. A thousand changes in between are one more request.

import type { BoundOperation } from '../document/operation.ts'
import type { Data, TypeMatcher } from '../document/selection.ts'
import type { ChangeFeed } from './change-feed.ts'
import { dependsOn } from './depends-on.ts'

/** The part of `Watch` that is used. */
export interface RefreshableWatch {
  readonly bound: BoundOperation
  readonly current: { readonly data: unknown }
  refresh(): Promise<unknown>
}

export function keepFresh(watch: RefreshableWatch, feed: ChangeFeed, types: TypeMatcher): () => void {
  let isRefreshing = false
  let isStale = false
  let isStopped = false
  const refresh = async () => {
    isStale = true
    if (isRefreshing) return
    isRefreshing = true
    while (isStale && !isStopped) {
      isStale = false
      await watch.refresh().catch(() => {})
    }
    isRefreshing = false
  }
  const stop = feed.listen((type) => {
    const { select, values } = watch.bound
    const result = { select, values, data: watch.current.data as Data | undefined, types }
    if (type === null || dependsOn(result, { type, seen: feed.seen })) refresh()
  })
  return () => {
    isStopped = true
    stop()
  }
}
