// The server of `events.ts`, in its own process: Twain on SQLite, or the baseline: `ws`, with each message serialized once.

import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type WebSocket, WebSocketServer } from 'ws'
import { listen } from '../packages/twain/src/http/index.ts'
import { openService } from '../packages/twain/src/main/index.ts'
import { defaultLimits } from '../packages/twain/src/plan/index.ts'

const log = { info() {}, warn() {}, error: console.error }

process.send!({ kind: 'listening', port: process.argv[2] === 'twain' ? await twain() : await baseline() })

async function twain(): Promise<number> {
  const data = mkdtempSync(join(tmpdir(), 'twain-bench-events-'))
  const schemaFile = join(data, 'schema.graphql')
  writeFileSync(
    schemaFile,
    'type Channel @allow { id: ID! name: String! messages: [Message!]! } type Message @allow { id: ID! body: String! channel: Channel! }',
  )
  process.on('SIGTERM', () => {
    rmSync(data, { recursive: true })
    process.exit()
  })
  const service = await openService({ schemaFile, data, limits: defaultLimits, log })
  const { handle, sockets } = service
  const http = { socketsPerClient: 20_000 } // all subscribers have one address
  const { port } = await listen({ handle, sockets, host: '127.0.0.1', port: 0, body: 1_048_576, log, http })
  const made = await fetch(`http://127.0.0.1:${port}/channels/c`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: '{"name":"c"}',
  })
  if (!made.ok) throw new Error(await made.text())
  return port
}

/** No rules, no change log, no database: the cost of only forwarding a message. */
async function baseline(): Promise<number> {
  const subscribers = new Map<WebSocket, string>()
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const message = { id: randomUUID(), ...JSON.parse(body) }
    const payload = JSON.stringify({ data: { messageCreated: { id: message.id, body: message.body } } })
    for (const [socket, id] of subscribers) socket.send(`{"id":"${id}","type":"next","payload":${payload}}`)
    response.end(JSON.stringify(message))
  })
  const sockets = new WebSocketServer({ server, perMessageDeflate: false })
  sockets.on('connection', (socket) => {
    socket.on('message', (data) => {
      const { type, id } = JSON.parse(String(data))
      if (type === 'connection_init') socket.send('{"type":"connection_ack"}')
      if (type === 'subscribe') subscribers.set(socket, id)
    })
    socket.on('close', () => subscribers.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
