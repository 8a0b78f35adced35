// Tells the other nodes of the database that this one serves, for the list of nodes in the APIs. On a database of its own a node tells
// nobody, and writes nothing.

import { randomUUID } from 'node:crypto'
import type { ServingNode } from '#base'
import type { NodeStore } from '#store'

const intervalMs = 10_000

export interface NodeAnnouncer {
  stop(): Promise<void>
}

/** A write that fails is not reported: the next one follows, and until then the list leaves the node out. */
export function announceNode(store: NodeStore, own: () => ServingNode): NodeAnnouncer {
  if (!store.isShared) return { stop: async () => {} }
  const run = randomUUID()
  let writing: Promise<void> = Promise.resolve()
  const announce = () => {
    writing = writing.then(() => store.announce(run, own())).catch(() => {})
  }
  announce()
  const timer = setInterval(announce, intervalMs).unref()
  return {
    async stop() {
      clearInterval(timer)
      await writing
      await store.withdraw(run).catch(() => {})
    },
  }
}
