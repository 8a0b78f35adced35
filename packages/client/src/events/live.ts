// Refreshes a watched query from the change log. When rows of a type in its result change, it refetches, at once or after
// the current request. A thousand changes in between are one more request.

import type { ChangeFeed } from './change-feed.ts'

/** The part of `Watch` that is used. */
interface RefreshableWatch {
  readonly current: { readonly data: unknown }
  refresh(): Promise<unknown>
}

export function keepFresh(watch: RefreshableWatch, feed: ChangeFeed): () => void {
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
    if (type === null || shows(watch.current.data, type)) refresh()
  })
  return () => {
    isStopped = true
    stop()
  }
}

/** Whether the data contains rows of the type, or could: an empty list does not show its type. */
function shows(data: unknown, type: string): boolean {
  if (data === undefined) return true
  if (typeof data !== 'object' || data === null) return false
  if (Array.isArray(data)) return data.length === 0 || data.some((item) => shows(item, type))
  const { __typename, ...fields } = data as Record<string, unknown>
  return __typename === type || Object.values(fields).some((value) => value === null || shows(value, type))
}
