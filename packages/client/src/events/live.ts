// Keeps a watched query fresh from the change log: when rows of a type that it shows change, it is asked again, at once or as
// soon as the last asking is answered; a thousand changes in between are one more.

import type { ChangeFeed } from './change-feed.ts'

/** What is kept fresh: a `Watch`. */
interface Fresh {
  readonly current: { readonly data: unknown }
  refresh(): Promise<unknown>
}

export function keepFresh(watch: Fresh, feed: ChangeFeed): () => void {
  let isAsking = false
  let isOld = false
  let isEnded = false
  const ask = async () => {
    isOld = true
    if (isAsking) return
    isAsking = true
    while (isOld && !isEnded) {
      isOld = false
      await watch.refresh().catch(() => {})
    }
    isAsking = false
  }
  const stop = feed.listen((type) => {
    if (type === null || shows(watch.current.data, type)) ask()
  })
  return () => {
    isEnded = true
    stop()
  }
}

/** Whether there are rows of a type in what is shown, or could be: an empty list does not say of what. */
function shows(data: unknown, type: string): boolean {
  if (data === undefined) return true
  if (typeof data !== 'object' || data === null) return false
  if (Array.isArray(data)) return data.length === 0 || data.some((item) => shows(item, type))
  const { __typename, ...fields } = data as Record<string, unknown>
  return __typename === type || Object.values(fields).some((value) => value === null || shows(value, type))
}
