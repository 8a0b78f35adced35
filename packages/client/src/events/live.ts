// Refreshes a watched query from the change log. When a change may concern its result, it refetches, at once or after the current
// request, whose response may be older than the change. A thousand changes in between are one more request.

import type { BoundOperation } from '../document/operation.ts'
import type { Data, TypeMatcher } from '../document/selection.ts'
import type { ChangeFeed } from './change-feed.ts'
import { dependsOn } from './depends-on.ts'

/** The part of `Watch` that is used. */
export interface RefreshableWatch {
  readonly bound: BoundOperation
  readonly current: { readonly data: unknown; readonly loading: boolean }
  readonly loaded: Promise<unknown> | undefined
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
      if (watch.current.loading) await watch.loaded?.catch(() => {})
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
  // The feed has begun before this watch, which may show rows that were cached before that.
  if (feed.hasBegun && !watch.current.loading) refresh()
  return () => {
    isStopped = true
    stop()
  }
}
