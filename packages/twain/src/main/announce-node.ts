// Tells the other nodes of the database that this one serves, for the list of nodes in the APIs. On a database of its own a node tells
// nobody, and writes nothing.
//
// 1. One write at a time: while the database is away, a write lasts longer than the interval.
// 2. A stop waits for it `maxStopMs` at most. Without a word, the list leaves the node out after half a minute.

import type { ServingNode } from '#base'
import { clearInterval, clearTimeout, randomUUID, setInterval, setTimeout } from '#base/time'
import type { NodeStore } from '#store'

const intervalMs = 10_000
const maxStopMs = 1000

export interface NodeAnnouncer {
  others(): Promise<readonly ServingNode[]>
  stop(): Promise<void>
}

/** A write that fails is not reported: the next one follows, and until then the list leaves the node out. */
export function announceNode(store: NodeStore, own: () => ServingNode): NodeAnnouncer {
  if (!store.isShared) return { others: async () => [], stop: async () => {} }
  const run = randomUUID()
  let writing: Promise<void> | null = null
  const write = async () => {
    try {
      await store.announce(run, own())
    } catch {}
  }
  const announce = () => {
    writing ??= write().finally(() => {
      writing = null
    })
  }
  const withdraw = async () => {
    await writing
    await store.withdraw(run).catch(() => {})
  }
  announce()
  const timer = setInterval(announce, intervalMs).unref()
  return {
    others: () => store.listOthers(run),
    async stop() {
      clearInterval(timer)
      const { promise, resolve } = Promise.withResolvers<void>()
      const limit = setTimeout(resolve, maxStopMs)
      await Promise.race([withdraw(), promise])
      clearTimeout(limit)
    },
  }
}
