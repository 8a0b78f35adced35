// Readers that follow the changes through a proxy, and reconnect with their last cursor when the connection breaks.

import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from 'graphql-ws'
import { readEvents } from '../../harness/test-service.ts'
import type { Client } from './proxy-client.ts'

export interface SeenChange {
  cursor: string
  id: string
  version: number
}

/** Reads until the connection ends or breaks. */
type Read = (client: Client, after: string, seen: SeenChange[], signal: AbortSignal) => Promise<void>

export class Reader {
  readonly seen: SeenChange[] = []
  /** How often it connected. */
  turns = 0
  readonly #ended: Promise<void>
  readonly #over = new AbortController()

  constructor(read: Read, client: Client, start: string) {
    this.#ended = this.#follow(read, client, start)
  }

  async stop(): Promise<void> {
    this.#over.abort()
    await this.#ended
  }

  async #follow(read: Read, client: Client, start: string): Promise<void> {
    const { signal } = this.#over
    while (!signal.aborted) {
      this.turns++
      await read(client, this.seen.at(-1)?.cursor ?? start, this.seen, signal).catch(() => undefined)
      await pause(20)
    }
  }
}

export const bySocket: Read = async (client, after, seen, signal) => {
  const url = `${client.origin.replace('http', 'ws')}/graphql`
  const socket = createClient({ url, webSocketImpl: client.sockets, retryAttempts: 0 })
  const end = () => void socket.dispose()
  signal.addEventListener('abort', end)
  try {
    const query = 'subscription ($after: String) { noteChanged(after: $after) { id version cursor } }'
    for await (const { data } of socket.iterate<{ noteChanged: SeenChange }>({ query, variables: { after } })) {
      const { cursor, id, version } = data!.noteChanged
      seen.push({ cursor, id, version })
    }
  } finally {
    signal.removeEventListener('abort', end)
    await socket.dispose()
  }
}

export const byStream: Read = async (client, after, seen, signal) => {
  const headers = { accept: 'text/event-stream', 'last-event-id': after }
  const reply = await client.open('GET', '/changes', headers, '', signal)
  if (reply.status !== 200) throw new Error(`a stream was answered with ${reply.status}`)
  for await (const { data } of readEvents(reply)) {
    if (data === undefined) continue
    const { id: cursor, subject: id, version } = JSON.parse(data)
    seen.push({ cursor, id, version })
  }
}

/** One long poll after another. */
export const byPolling: Read = async (client, after, seen) => {
  const { status, bytes } = await client.ask('GET', `/changes?first=100&after=${after}`, { prefer: 'wait=2' })
  if (status !== 200) throw new Error(`a long poll was answered with ${status}`)
  for (const { node } of JSON.parse(String(bytes)).edges) {
    seen.push({ cursor: node.id, id: node.subject, version: node.version })
  }
}
