// Followers of changes through a failover: event streams that resume with their cursor, and a webhook. A follower that is told GONE, or
// whose webhook is paused, does what the documents ask for: it reads the rows again.

import { setTimeout as pause } from 'node:timers/promises'
import { readEvents } from '../harness/test-service.ts'

/** The texts of all rows that begin with this prefix. */
export async function readRows(node: string, prefix: string): Promise<string[]> {
  const query = new URLSearchParams({ 'text[startsWith]': prefix, fields: 'text' })
  const reply = await fetch(`${node}/notes?${query}`, { headers: { accept: 'application/x-ndjson' } })
  const body = await reply.text()
  if (reply.status !== 200) throw new Error(`${reply.status} ${body}`)
  const lines = body.split('\n').filter((line) => line !== '')
  return lines.map((line) => (JSON.parse(line) as { text: string }).text)
}

export class StreamReader {
  /** What the reader knows: each text, and how often it was told. */
  readonly texts = new Map<string, number>()
  /** How often it had to begin anew. */
  gone = 0
  readonly #node: string
  readonly #prefix: string
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>
  #cursor: string

  static async open(node: string, prefix: string): Promise<StreamReader> {
    return new StreamReader(node, prefix, await currentCursor(node))
  }

  private constructor(node: string, prefix: string, cursor: string) {
    this.#node = node
    this.#prefix = prefix
    this.#cursor = cursor
    this.#running = this.#run()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        if (!(await this.#follow())) await this.#beginAnew()
      } catch {
        if (!this.#stopping.signal.aborted) await pause(200)
      }
    }
  }

  /** False if the cursor is gone. */
  async #follow(): Promise<boolean> {
    const headers = { accept: 'text/event-stream', 'last-event-id': this.#cursor }
    const reply = await fetch(`${this.#node}/changes?resource=notes`, { headers, signal: this.#stopping.signal })
    if (reply.status === 410) return false
    if (reply.status !== 200) throw new Error(String(reply.status))
    for await (const { id, event, data } of readEvents(reply)) {
      if (event === 'end') return (JSON.parse(data!) as { code: string }).code !== 'GONE'
      if (data !== undefined) this.#take((JSON.parse(data) as { data: { text?: string } }).data.text)
      if (id !== undefined) this.#cursor = id
    }
    return true
  }

  #take(text: string | undefined): void {
    if (text?.startsWith(this.#prefix)) this.texts.set(text, (this.texts.get(text) ?? 0) + 1)
  }

  /** As docs/reference/events.md says: first a cursor, then the rows. */
  async #beginAnew(): Promise<void> {
    const cursor = await currentCursor(this.#node)
    const rows = await readRows(this.#node, this.#prefix)
    this.gone++
    this.texts.clear()
    for (const text of rows) this.texts.set(text, 1)
    this.#cursor = cursor
  }
}

async function currentCursor(node: string): Promise<string> {
  const reply = await fetch(`${node}/changes?after=now&first=0`)
  return ((await reply.json()) as { pageInfo: { endCursor: string } }).pageInfo.endCursor
}
