// Follows the change feed (`GET /changes`) by long polls, from now on, with the rights of the user.

import { client } from '../api/client.ts'

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

interface FeedPage {
  edges: readonly { node: ChangeEvent }[]
  pageInfo: { endCursor: string | null }
}

const waitSeconds = 20

/** Calls `onEvents` with what has happened since the last call, until the signal ends it. The first call has no events. Rejects if a request fails. */
export async function followChanges(
  resource: string,
  signal: AbortSignal,
  onEvents: (events: readonly ChangeEvent[]) => void,
): Promise<void> {
  const only = resource === '' ? '' : `&resource=${resource}`
  let cursor = 'now'
  while (!signal.aborted) {
    const headers: Record<string, string> = cursor === 'now' ? {} : { prefer: `wait=${waitSeconds}` }
    const path = `/changes?first=50&after=${encodeURIComponent(cursor)}${only}`
    const { data } = await client.rest.get<FeedPage>(path, { headers, signal })
    const { edges, pageInfo } = data!
    cursor = pageInfo.endCursor ?? cursor
    onEvents(edges.map(({ node }) => node))
  }
}
