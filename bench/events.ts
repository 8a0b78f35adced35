// `npm run bench -- events`: 1,000 subscribers of one channel on one process, compared with a hand-written baseline (`ws`
// and one serialized message). It also measures the cost of an idle connection, the latency with many subscribers, an event among
// 10 and among 1,000 channels with subscribers of their own, and the cost of writes without subscribers.
//
// The server has its own process; the subscribers are in this one. One request creates the message of an event. The targets
// are about CPU time, in alternating rounds, so that other load on the machine affects both alike.

import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { MeasuredProcess } from './measured-process.ts'
import { median } from './reads.ts'
import { measureUnheard, type UnheardResult } from './unsubscribed-writes.ts'

export interface EventsOutcome {
  fanOut: { subscribers: number; twain: Fanned; baseline: Fanned; ratio: number }
  idle: { lines: number; bytes: number; p99: number }
  /** µs of CPU time of an event for one subscriber, among few and among many channels. */
  channels: { few: number; many: number; ratio: number }
  unheard: UnheardResult
}

export interface Fanned {
  /** µs of CPU time per delivery. */
  cost: number
  perSecond: number
  /** Milliseconds from before the request to its arrival at a subscriber, for sequential events. */
  p99: number
}

const subscribers = 1000
const rounds = 5
/** Of each round. */
const events = 100
const idleLines = 10_000
const channelCounts = { few: 10, many: 1000 }

export async function measureEvents(): Promise<EventsOutcome> {
  const [baseline, twain] = [await Fan.open('baseline', subscribers), await Fan.open('twain', subscribers)]
  for (const fan of [baseline, twain]) await fan.flood(events)
  for (let round = 0; round < rounds; round++) {
    for (const fan of [baseline, twain]) {
      await fan.flood(events)
      await fan.pace(events / 5)
    }
  }
  const [ours, theirs] = [twain.result(), baseline.result()]
  await Promise.all([baseline.close(), twain.close()])
  const fanOut = { subscribers, twain: ours, baseline: theirs, ratio: theirs.cost / ours.cost }
  return { fanOut, idle: await measureIdle(), channels: await measureChannels(), unheard: await measureUnheard() }
}

/** A server and the subscribers of its channels. Events happen in one of them. */
class Fan {
  readonly #server: MeasuredProcess
  readonly #port: number
  readonly #sockets: WebSocket[] = []
  readonly #costs: number[] = []
  readonly #rates: number[] = []
  readonly #delays: number[] = []
  /** The subscribers of the channel with the events. */
  #listeners = 0
  #received = 0
  #isTimed = false
  #isClosing = false
  /** A subscriber that the server has closed. */
  #failure: Error | null = null

  private constructor(server: MeasuredProcess, port: number) {
    this.#server = server
    this.#port = port
  }

  static async open(which: 'baseline' | 'twain', count: number): Promise<Fan> {
    const server = new MeasuredProcess(join(import.meta.dirname, 'events-server.ts'), [which])
    const fan = new Fan(server, await server.port())
    for (let n = 0; n < count; n += 500) await fan.join(Math.min(500, count - n))
    return fan
  }

  /** Subscribes, each with its own id, as clients do: to the channel with the events, or each to a channel of its own. */
  async join(count: number, isApart = false): Promise<void> {
    if (!isApart) this.#listeners += count
    const opened = Array.from({ length: count }, async (_, index) => {
      const socket = new WebSocket(`ws://127.0.0.1:${this.#port}/graphql`, 'graphql-transport-ws')
      await once(socket, 'open')
      socket.send('{"type":"connection_init"}')
      await once(socket, 'message')
      socket.on('message', (data) => this.#receive(String(data)))
      socket.on('close', (code, reason) => {
        if (!this.#isClosing) this.#failure ??= new Error(`A subscriber was closed: ${code} ${reason}`)
      })
      const query = 'subscription ($c: ID!) { messageCreated(channel: $c) { id body } }'
      const variables = { c: isApart ? `apart${this.#sockets.length + index}` : 'c' }
      const message = { type: 'subscribe', id: crypto.randomUUID(), payload: { query, variables } }
      socket.send(JSON.stringify(message))
      return socket
    })
    this.#sockets.push(...(await Promise.all(opened)))
    await pause(300)
  }

  /** Enough requests in flight that the server is never idle. */
  async flood(count: number): Promise<void> {
    const before = await this.#server.read()
    const began = performance.now()
    const goal = this.#received + count * this.#listeners
    let next = 0
    const writers = Array.from({ length: 8 }, async () => {
      while (next++ < count) await this.#post()
    })
    await Promise.all(writers)
    await this.#until(goal)
    const seconds = (performance.now() - began) / 1000
    const deliveries = count * this.#listeners
    this.#costs.push(((await this.#server.read()).cpu - before.cpu) / deliveries)
    this.#rates.push(deliveries / seconds)
  }

  /** One after another. */
  async pace(count: number): Promise<void> {
    this.#isTimed = true
    for (let n = 0; n < count; n++) {
      const goal = this.#received + this.#listeners
      await this.#post()
      await this.#until(goal)
    }
    this.#isTimed = false
  }

  result(): Fanned {
    // The first rounds are the warm-up.
    return { cost: median(this.#costs.slice(1)), perSecond: median(this.#rates.slice(1)), p99: this.p99() }
  }

  p99(): number {
    const sorted = this.#delays.toSorted((a, b) => a - b)
    return sorted[Math.floor(sorted.length * 0.99)] ?? 0
  }

  memory(): Promise<number> {
    return this.#server.read().then(({ memory }) => memory)
  }

  async close(): Promise<void> {
    this.#isClosing = true
    for (const socket of this.#sockets) socket.terminate()
    await this.#server.stop()
  }

  #receive(text: string): void {
    this.#received++
    if (this.#isTimed) this.#delays.push(performance.now() - Number(/"body":"([\d.]+)"/.exec(text)![1]))
  }

  async #until(goal: number): Promise<void> {
    while (this.#received < goal) {
      if (this.#failure !== null) throw this.#failure
      await pause(1)
    }
  }

  async #post(): Promise<void> {
    const reply = await fetch(`http://127.0.0.1:${this.#port}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ body: String(performance.now()), channel: 'c' }),
    })
    await reply.arrayBuffer()
    if (!reply.ok) throw new Error(String(reply.status))
  }
}

async function measureIdle(): Promise<EventsOutcome['idle']> {
  const fan = await Fan.open('twain', 500)
  await fan.flood(5)
  await pause(2000)
  const before = await fan.memory()
  for (let n = 0; n < idleLines; n += 500) await fan.join(500)
  await pause(5000)
  const bytes = ((await fan.memory()) - before) / idleLines
  await fan.pace(5)
  const p99 = fan.p99()
  await fan.close()
  return { lines: idleLines, bytes, p99 }
}

async function measureChannels(): Promise<EventsOutcome['channels']> {
  const [few, many] = await Promise.all(
    Object.values(channelCounts).map(async (count) => {
      const fan = await Fan.open('twain', 1)
      for (let n = 1; n < count; n += 500) await fan.join(Math.min(500, count - n), true)
      return fan
    }),
  )
  for (let round = 0; round < 2 * rounds; round++) for (const fan of [few!, many!]) await fan.flood(events * 2)
  const [{ cost: ofFew }, { cost: ofMany }] = [few!.result(), many!.result()]
  await Promise.all([few!.close(), many!.close()])
  return { few: ofFew, many: ofMany, ratio: ofMany / ofFew }
}
