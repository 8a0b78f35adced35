// Readers that are disconnected at random moments and resume with their last cursor, over WebSocket, event streams and polling,
// while others write: no change is missing or repeated, and each row's changes come in the order of its versions.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { readEvents, TestService } from '../harness/test-service.ts'

const disconnects = Number(process.env.TWAIN_DISCONNECTS ?? 100)

interface SeenChange {
  cursor: string
  id: string
  version: number
}

type Read = (after: string, seen: SeenChange[], maxChanges: number) => Promise<void>

test(`${disconnects} disconnects lose nothing and repeat nothing`, {
  timeout: 120_000 + disconnects * 1000,
}, async (t) => {
  const service = await TestService.open(t, 'type Note { id: ID! text: String! }')
  const start = (await service.succeed('GET', '/changes?after=now')).pageInfo.endCursor as string
  let isWriting = true
  const writing = Promise.all([1, 2, 3].map((n) => write(service, n, () => isWriting)))
  const readers = [socketReader(service), streamReader(service), pollReader(service)]
  const seen = await Promise.all(readers.map((read) => follow(read, start, Math.ceil(disconnects / readers.length))))
  isWriting = false
  await writing
  await pause(300)
  const all: SeenChange[] = []
  await pollReader(service)(start, all, Number.POSITIVE_INFINITY)
  for (const [index, found] of seen.entries()) {
    // To the end of the log: each reader resumes a last time and gets the rest.
    await readers[index]!(found.at(-1)?.cursor ?? start, found, all.length - found.length)
    assert.deepEqual(found, all, `reader ${index}`)
  }
  const versions = new Map<string, number>()
  for (const { id, version } of all) {
    assert.equal(version, (versions.get(id) ?? 0) + 1)
    versions.set(id, version)
  }
  assert.ok(all.length >= disconnects)
})

async function write(service: TestService, n: number, goesOn: () => boolean): Promise<void> {
  const deletes = [0, 0, 0, 0, 0]
  for (let count = 0; goesOn(); count++) {
    const which = count % deletes.length
    const path = `/notes/w${n}-${which}-${deletes[which]}` // a deleted id can't be used again
    await service.succeed('PUT', path, { text: `${count}` })
    if (count % 7 === 6) {
      await service.succeed('DELETE', path)
      deletes[which]!++
    }
    await pause(Math.random() * 10)
  }
}

async function follow(read: Read, start: string, times: number): Promise<SeenChange[]> {
  const seen: SeenChange[] = []
  for (let n = 0; n < times; n++) await read(seen.at(-1)?.cursor ?? start, seen, 1 + (n % 5))
  return seen
}

/** Disconnects after so many events, in the middle of others. */
function socketReader(service: TestService): Read {
  return async (after, seen, maxChanges) => {
    if (maxChanges <= 0) return
    const socket = new WebSocket(`${service.address.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    let left = maxChanges
    socket.on('open', () => socket.send('{"type":"connection_init"}'))
    socket.on('error', reject)
    socket.on('message', (data) => {
      const message = JSON.parse(String(data))
      if (message.type === 'connection_ack') {
        const query = 'subscription ($after: String) { noteChanged(after: $after) { id version cursor } }'
        socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query, variables: { after } } }))
      } else if (message.type === 'next' && left-- > 0) {
        const { id, version, cursor } = message.payload.data.noteChanged
        assert.equal(cursor, message.payload.extensions.cursor)
        seen.push({ cursor, id, version })
        if (left === 0) resolve()
      } else if (message.type === 'error') reject(new Error(JSON.stringify(message)))
    })
    await promise
    socket.terminate()
  }
}

function streamReader(service: TestService): Read {
  return async (after, seen, maxChanges) => {
    if (maxChanges <= 0) return
    const aborter = new AbortController()
    const reply = await fetch(`${service.address}/changes`, {
      headers: { accept: 'text/event-stream', 'last-event-id': after },
      signal: aborter.signal,
    })
    assert.equal(reply.status, 200)
    let left = maxChanges
    for await (const { data } of readEvents(reply)) {
      if (data === undefined) continue
      const { id, subject, version } = JSON.parse(data)
      seen.push({ cursor: id, id: subject, version })
      if (--left === 0) break
    }
    aborter.abort()
  }
}

function pollReader(service: TestService): Read {
  return async (after, seen, maxChanges) => {
    let cursor = after
    for (let left = maxChanges; left > 0; ) {
      const headers: Record<string, string> = maxChanges === Number.POSITIVE_INFINITY ? {} : { prefer: 'wait=5' }
      const first = Math.min(left, 100)
      const { edges, pageInfo } = await service.succeed(
        'GET',
        `/changes?first=${first}&after=${cursor}`,
        undefined,
        headers,
      )
      for (const { node } of edges) seen.push({ cursor: node.id, id: node.subject, version: node.version })
      left -= edges.length
      cursor = pageInfo.endCursor
      if (maxChanges === Number.POSITIVE_INFINITY && !pageInfo.hasNextPage) return
    }
  }
}
