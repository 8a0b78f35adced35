// Follows the change feed (`GET /changes`) by long polls, from now on, with the rights of the user. A hidden tab asks for nothing, and goes
// on from its last cursor when it is shown again.
//
// 1. The cursor moves on only after the handler has handled the events. If the handler fails, the feed delivers the events again.
// 2. After a failure the feed pauses and repeats the request. It ends by itself only if the user may not read it.

import { client, type Failure, failureOf } from '../api/client.ts'
import { pageSize } from '../api/model.ts'
import { pause, whenShown } from './when-shown.ts'

export interface ChangeEvent {
  id: string
  /** `/posts`. */
  source: string
  /** `post.created`. */
  type: string
  subject: string
  time: string
  version: number
  /** Missing: the user may not see it. */
  by?: string
  via?: string
  data: unknown
}

export interface FeedHandlers {
  /** Events from now on arrive. Called again after some were lost. */
  onStart(): void | Promise<void>
  onEvents(events: readonly ChangeEvent[]): void | Promise<void>
  /** Null: the feed works again. */
  onFailure?(failure: Failure | null): void
}

interface FeedPage {
  edges: readonly { node: ChangeEvent }[]
  pageInfo: { endCursor: string }
}

const waitSeconds = 20
const pauseAfterFailureMs = 5000
const maxEvents = 100

/** `resource`: the path of a collection; empty: all. Ends with the signal. */
export async function followChanges(resource: string, signal: AbortSignal, handlers: FeedHandlers): Promise<void> {
  let cursor: string | null = null
  while (!signal.aborted) {
    await whenShown(signal)
    let page: FeedPage | null = null
    try {
      page = await readPage(resource, cursor, signal)
      if (signal.aborted) return
      if (cursor === null) await handlers.onStart()
      else if (page.edges.length > 0) await handlers.onEvents(page.edges.map(({ node }) => node))
      cursor = page.pageInfo.endCursor
      handlers.onFailure?.(null)
    } catch (error) {
      if (signal.aborted) return
      const failure = failureOf(error)
      handlers.onFailure?.(failure)
      if (page === null && [401, 403, 404].includes(failure.status)) return // The user may not read the feed.
      if (failure.status === 410) cursor = null
      await pause(pauseAfterFailureMs, signal)
    }
  }
}

/** The first request only learns where the log ends now. */
async function readPage(resource: string, cursor: string | null, signal: AbortSignal): Promise<FeedPage> {
  const only = resource === '' ? '' : `resource=${resource}&`
  const first = pageSize(maxEvents)
  const headers: Record<string, string> = cursor === null ? {} : { prefer: `wait=${waitSeconds}` }
  const path = `/changes?${only}first=${first}&after=${encodeURIComponent(cursor ?? 'now')}`
  const { data } = await client.rest.get<FeedPage>(path, { headers, signal })
  return data!
}
