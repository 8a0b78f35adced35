// Fan-out: 1,000 subscribers of one channel on one process, beside a hand-written floor (`ws` and one serialised message);
// and what an idle line costs. `npm run events --workspace=@twain/bench`.
//
// The server is a process of its own; the subscribers are in this one. An event is a message that is made by one request, and
// counts when the last subscriber has it.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'

const subscribers = Number(process.env.TWAIN_SUBSCRIBERS ?? 1000)
const events = Number(process.env.TWAIN_EVENTS ?? 200)
const idle = Number(process.env.TWAIN_IDLE ?? 0)

interface Measured {
  perSecond: number
  p99: number
}

const floor = await measure('floor')
const ours = await measure('twain')
console.log(`${subscribers} subscribers, ${events} events each`)
console.log(`floor   ${Math.round(floor.perSecond)} deliveries/s, p99 ${floor.p99.toFixed(1)} ms`)
console.log(`twain   ${Math.round(ours.perSecond)} deliveries/s, p99 ${ours.p99.toFixed(1)} ms`)
console.log(`ratio   ${(ours.perSecond / floor.perSecond).toFixed(2)}`)
if (idle > 0) await measureIdle()

async function measure(which: 'floor' | 'twain'): Promise<Measured> {
  const { child, port } = await start(which)
  const delays: number[] = []
  let received = 0
  const sockets = await open(port, subscribers, (text) => {
    received++
    const at = /"body":"(\d+(?:\.\d+)?)/.exec(text)
    delays.push(performance.now() - Number(at![1]))
  })
  await pause(500)
  const began = performance.now()
  // So many under way that the server is never idle.
  let next = 0
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (next++ < events) await post(port, { body: String(performance.now()), channel: 'c' })
    }),
  )
  while (received < subscribers * events) await pause(5)
  const seconds = (performance.now() - began) / 1000
  for (const socket of sockets) socket.terminate()
  child.kill()
  delays.sort((a, b) => a - b)
  return { perSecond: received / seconds, p99: delays[Math.floor(delays.length * 0.99)]! }
}

async function measureIdle(): Promise<void> {
  const { child, port } = await start('twain')
  const sockets = await open(port, 100, () => {})
  await pause(1000)
  const before = rss(child)
  for (let n = 0; n < idle; n += 500) sockets.push(...(await open(port, 500, () => {})))
  await pause(3000)
  console.log(`idle    ${((rss(child) - before) / idle / 1024).toFixed(1)} KB for each of ${idle} lines`)
  for (const socket of sockets) socket.terminate()
  child.kill()
}

async function start(which: 'floor' | 'twain'): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(new URL('./events-server.ts', import.meta.url), [which])
  const [port] = (await once(child, 'message')) as [number]
  return { child, port }
}

/** Subscribed, each with an id of its own as clients have. */
function open(port: number, count: number, hear: (text: string) => void): Promise<WebSocket[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws')
      await once(socket, 'open')
      socket.send('{"type":"connection_init"}')
      await once(socket, 'message')
      socket.on('message', (data) => hear(String(data)))
      const query = 'subscription ($c: ID!) { messageCreated(channel: $c) { id body } }'
      const message = { type: 'subscribe', id: crypto.randomUUID(), payload: { query, variables: { c: 'c' } } }
      socket.send(JSON.stringify(message))
      return socket
    }),
  )
}

async function post(port: number, body: object): Promise<void> {
  const reply = await fetch(`http://127.0.0.1:${port}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  await reply.arrayBuffer()
  if (!reply.ok) throw new Error(String(reply.status))
}

function rss({ pid }: ChildProcess): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024
}
