// Checks the sentences about events: the payload, the feed, streams, subscriptions and cursors.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { until } from '../harness/until.ts'
import type { ContractService } from './contract-service.ts'

export async function checkFeed({ send }: ContractService): Promise<void> {
  const page = await send('GET', '/changes?first=1')
  assert.equal(page.status, 200)
  const after = page.body.pageInfo.endCursor
  assert.equal((await send('GET', `/changes?after=${after}&first=1`)).status, 200)
  const polled = await send('GET', '/changes?after=now', { headers: { prefer: 'wait=1' } })
  assert.deepEqual([polled.status, polled.headers.get('preference-applied')], [200, 'wait=1'])
}

interface CloudEvent {
  id: string
  type: string
  subject: string
  source: string
  data: object
}

/** An account is created and deletes itself: the events of both, as another account reads them, and the cursor before. */
async function accountEvents({ send, createAccount, viewers }: ContractService, name: string) {
  const { body } = await send('GET', '/changes?after=now', { viewer: 'ann' })
  const cursor: string = body.pageInfo.endCursor
  const row = await createAccount(name)
  const [, list = '', id = ''] = row.split('/')
  const { body: representation } = await send('GET', row, { viewer: 'ann' })
  assert.equal((await send('DELETE', row, { viewer: name })).status, 204)
  viewers.delete(name)
  const path = `/changes?after=${encodeURIComponent(cursor)}&resource=${list}`
  const page = await until(
    () => send('GET', path, { viewer: 'ann' }),
    (got) => got.body.edges.length >= 2,
  )
  const events: CloudEvent[] = page.body.edges.map(({ node }: { node: CloudEvent }) => node)
  return { cursor, list, id, representation, events: events.filter(({ subject }) => subject === id) }
}

export async function checkPayload(service: ContractService): Promise<void> {
  const { list, id, events, representation } = await accountEvents(service, 'finn')
  const members = ['specversion', 'id', 'source', 'type', 'subject', 'time', 'version', 'data']
  for (const event of events) assert.deepEqual(Object.keys(event), members)
  assert.deepEqual(
    events.map(({ type, source, data }) => [type.split('.')[1], source, data]),
    [
      ['created', `/${list}`, representation],
      ['deleted', `/${list}`, { id }],
    ],
  )
}

/** One cursor continues the feed, a stream of the feed, and subscriptions over both protocols. */
export async function checkCursor(service: ContractService): Promise<void> {
  const { cursor, list, events } = await accountEvents(service, 'gwen')
  const stream = await firstOfStream(service, `/changes?resource=${list}`, { 'last-event-id': cursor })
  assert.equal(JSON.parse(stream).id, events[0]!.id)
  const query = subscriptionOf(service, events[0]!, cursor)
  const body = JSON.stringify({ query })
  const sent = JSON.parse(await firstOfStream(service, '/graphql', { 'content-type': 'application/json' }, body))
  const overSocket = await firstOverSocket(service, query)
  for (const { data, extensions } of [sent, overSocket]) {
    assert.equal(Object.values(data as object).length, 1)
    assert.equal(extensions.cursor, events.at(-1)!.id)
  }
}

/** The delete, because a row that is gone again has no other event in a subscription. */
function subscriptionOf({ contract }: ContractService, { type }: CloudEvent, cursor: string): string {
  const name = `${type.split('.')[0]}Deleted`
  assert.ok(contract.operations.some((one) => one.startsWith(`${name}(`)))
  return `subscription { ${name}(after: "${cursor}") { id } }`
}

/** The data of the first event of a stream that has any. */
async function firstOfStream(
  { address, viewers }: ContractService,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<string> {
  const end = new AbortController()
  const reply = await fetch(address + path, {
    ...(body === undefined ? {} : { method: 'POST', body }),
    signal: end.signal,
    headers: { ...headers, accept: 'text/event-stream', authorization: `Bearer ${viewers.get('ann')}` },
  })
  assert.equal(reply.headers.get('content-type')?.split(';')[0], 'text/event-stream')
  let text = ''
  try {
    for await (const chunk of reply.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      const [, data] = /^data: ?(\{.*)\n/m.exec(text) ?? []
      if (data !== undefined) return data
    }
  } finally {
    end.abort()
  }
  throw new Error(`the stream ended: ${text}`)
}

async function firstOverSocket({ address, viewers }: ContractService, query: string) {
  const socket = new WebSocket(`${address.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  const send = (message: object) => socket.send(JSON.stringify(message))
  await once(socket, 'open')
  send({ type: 'connection_init', payload: { authorization: `Bearer ${viewers.get('ann')}` } })
  try {
    for (;;) {
      const [{ data }] = await once(socket, 'message')
      const { type, payload } = JSON.parse(data)
      if (type === 'connection_ack') send({ id: '1', type: 'subscribe', payload: { query } })
      else if (type === 'next') return payload
      else assert.equal(type, 'ping', data)
    }
  } finally {
    socket.close()
  }
}
