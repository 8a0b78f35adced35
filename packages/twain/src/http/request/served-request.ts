// The data of an answered request, which the server passes to the log.

import type { ServerTiming } from '#base/http'

export interface ServedRequest {
  id: string
  /** When it was answered, by `Date.now`. */
  at: number
  /** `-`, as the path, if no request could be parsed. */
  method: string
  path: string
  status: number
  milliseconds: number
  /** The size of the body; null for a stream. */
  bytes: number | null
  address: string
  /** An account, a token or a key; null for an anonymous viewer. */
  viewer: string | null
  /** Who acts as the viewer; missing: the viewer. */
  actor?: string | undefined
  traceparent: string | null
  /** The duration of each stage; null if stages are not timed. */
  stages: ServerTiming | null
  /** The client closed the connection before the reply. */
  aborted: boolean
}
