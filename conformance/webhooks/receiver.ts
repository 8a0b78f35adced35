// A webhook receiver on a port of this machine: it records its messages, and answers as the test configures.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ReceivedMessage {
  path: string
  headers: Record<string, string>
  body: string
  /** The CloudEvent. */
  event: { type: string; subject: string; version: number; data: Record<string, unknown>; id: string }
  at: number
}

/** Null: answer with 204. */
type Answer = (got: ReceivedMessage, response: ServerResponse, nth: number) => void | Promise<void>

export interface Receiver {
  url: string
  /** All messages in order, whatever the answer. */
  readonly got: ReceivedMessage[]
  answer: Answer
  /** Resolves when it has so many. */
  has(count: number, within?: number): Promise<ReceivedMessage[]>
  close(): Promise<void>
}

export const ok: Answer = (_got, response) => void response.writeHead(204).end()

export async function openReceiver(t: Pick<TestContext, 'after'>, answer: Answer = ok): Promise<Receiver> {
  const got: ReceivedMessage[] = []
  const server = createServer((request, response) => void take(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    got,
    answer,
    async has(count, within = 10_000) {
      const until = performance.now() + within
      while (got.length < count) {
        if (performance.now() > until) throw new Error(`${got.length} of ${count} messages came within ${within} ms`)
        await sleep(10)
      }
      return got
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  t.after(() => receiver.close())
  return receiver

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts).toString()
    const headers = request.headers as Record<string, string>
    const one = { path: request.url ?? '', headers, body, event: JSON.parse(body), at: performance.now() }
    got.push(one)
    await receiver.answer(one, response, got.length)
  }
}
