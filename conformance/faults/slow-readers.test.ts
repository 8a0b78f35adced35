// Subscribers that do not read: the server bounds their queue and disconnects them, others are not delayed, and a subscriber that
// reconnects with its last cursor has missed nothing.
// stores: sqlite

import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { readEvents, TestService } from '../harness/test-service.ts'

const sdl = 'type Note { id: ID! number: Int! text: String! }'
/** More than the buffers of the system and of the server hold for a connection. */
const events = 60
const long = 'x'.repeat(300_000)

test('a subscriber that does not read is disconnected and resumes, and the others are not delayed', async (t) => {
  const service = await TestService.open(t, sdl)
  const { endCursor } = (await service.succeed('GET', '/changes?after=now')).pageInfo
  const stalled = await SocketSubscriber.open(service, endCursor)
  const good = await SocketSubscriber.open(service, endCursor)
  const stream = await fetch(`${service.address}/changes?after=${endCursor}`, {
    headers: { accept: 'text/event-stream' },
  })
  stalled.stall()
  for (let number = 0; number < events; number++) await service.succeed('POST', '/notes', { number, text: long })
  await until(() => good.numbers.length === events)

  stalled.goOn()
  await until(() => stalled.closed !== null)
  // What was in the buffers still arrives. A client that stays away for long finds its connection closed.
  assert.ok(stalled.closed === 1013 || stalled.closed === 1006, String(stalled.closed))
  assert.ok(stalled.numbers.length < events, `${stalled.numbers.length} of ${events} came`)
  const resumed = await SocketSubscriber.open(service, stalled.cursor)
  await until(() => resumed.numbers.length === events - stalled.numbers.length)
  assert.deepEqual([...stalled.numbers, ...resumed.numbers], good.numbers)

  // The event stream was not read until now either: it ends early, and resumes after its last id.
  const numbers: number[] = []
  let last = endCursor
  const take = async (reply: Response) => {
    for await (const { id, data } of readEvents(reply)) {
      last = id ?? last
      if (data !== undefined) numbers.push(JSON.parse(data).data.number)
      if (numbers.length === events) return
    }
  }
  await take(stream).catch(() => null)
  assert.ok(numbers.length < events, `${numbers.length} of ${events} came`)
  const headers = { accept: 'text/event-stream', 'last-event-id': last }
  await take(await fetch(`${service.address}/changes`, { headers }))
  assert.deepEqual(numbers, good.numbers)
  for (const line of [good, resumed]) line.end()
})

/** A subscription over a plain WebSocket, which can be left unread. */
class SocketSubscriber {
  readonly numbers: number[] = []
  cursor: string
  closed: number | null = null
  readonly #socket: WebSocket

  private constructor(socket: WebSocket, after: string) {
    this.#socket = socket
    this.cursor = after
    socket.on('close', (code) => (this.closed = code))
    socket.on('error', () => {})
    socket.on('message', (data) => {
      const { type, payload } = JSON.parse(String(data))
      if (type !== 'next') return
      this.numbers.push(payload.data.noteCreated.number)
      this.cursor = payload.extensions.cursor
    })
  }

  static async open({ address }: TestService, after: string): Promise<SocketSubscriber> {
    const socket = new WebSocket(`${address.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
    await once(socket, 'open')
    socket.send('{"type":"connection_init"}')
    await once(socket, 'message')
    const line = new SocketSubscriber(socket, after)
    const query = 'subscription ($after: String) { noteCreated(after: $after) { number text } }'
    socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query, variables: { after } } }))
    await pause(200)
    return line
  }

  stall(): void {
    this.#underneath.pause()
  }

  goOn(): void {
    this.#underneath.resume()
  }

  end(): void {
    this.#socket.terminate()
  }

  get #underneath(): Socket {
    return (this.#socket as unknown as { _socket: Socket })._socket
  }
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds() && tries < 6000; tries++) await pause(10)
  assert.ok(holds(), holds.toString())
}
