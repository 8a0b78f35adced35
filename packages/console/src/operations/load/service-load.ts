// What the server tells about its nodes and their load: `GET /metrics/nodes`, `GET /metrics/load` and `GET /metrics/slow-queries`.

import { client } from '../../api/client.ts'

interface Figures {
  requests: number
  errors: number
  refused: number
  p50: number | null
  p95: number | null
  p99: number | null
}

interface Point extends Figures {
  time: string
  seconds: number
}

export interface Series extends Figures {
  id: string
}

export interface ServiceLoad {
  node: string
  startedAt: string
  memoryBytes: number
  points: readonly Point[]
  routes: readonly Series[]
  operations: readonly Series[]
  caches: readonly { name: string; entries: number; bytes: number; hits: number; misses: number }[]
}

/** A node that serves. */
export interface ServingNode {
  node: string
  startedAt: string
  memoryBytes: number
  /** Of the last minute. */
  requests: number | null
  errors: number | null
}

export interface SlowQuery {
  /** The node that ran it. */
  node: string
  shape: string
  sql: string
  hint: string | null
  count: number
  maxMs: number
  lastAt: string
  plan: string | null
}

/** `of`: a route or an operation; empty: all requests. */
export async function readLoad(minutes: number, of: string): Promise<ServiceLoad> {
  const only = of === '' ? '' : `&of=${encodeURIComponent(of)}`
  return (await client.rest.get<ServiceLoad>(`/metrics/load?minutes=${minutes}${only}`)).data!
}

export async function readNodes(): Promise<readonly ServingNode[]> {
  return (await client.rest.get<ServingNode[]>('/metrics/nodes')).data!
}

export async function readSlowQueries(): Promise<readonly SlowQuery[]> {
  return (await client.rest.get<SlowQuery[]>('/metrics/slow-queries')).data!
}
