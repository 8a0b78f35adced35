// A node that serves, as it tells the others about itself.

import { wallTime } from '../time/index.ts'
import type { LoadHistory } from './load-history.ts'

export interface ServingNode {
  /** Host and process. */
  node: string
  startedAt: string
  /** When the node last told that it serves. */
  seenAt: string
  /** Resident memory of the process. */
  memoryBytes: number
  /** Of the last minute, as `errors`; null: the node does not count its load. */
  requests: number | null
  errors: number | null
}

/** This process. */
export function ownNode(node: string, load: LoadHistory | null): ServingNode {
  const points = load?.report(1, null)?.points ?? null
  const sum = (of: 'requests' | 'errors') => points?.reduce((all, point) => all + point[of], 0) ?? null
  return {
    node,
    startedAt: new Date(performance.timeOrigin).toISOString(),
    seenAt: new Date(wallTime()).toISOString(),
    memoryBytes: process.memoryUsage.rss(),
    requests: sum('requests'),
    errors: sum('errors'),
  }
}
