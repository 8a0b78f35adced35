// Reads the change log from its start as one viewer, in every way that there is, until the row with the id `until` appears.

import { WebSocket } from 'ws'
import { readEvents, type TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'

/** The text of what each way shows. `document` is a subscription with the variable `$after`. */
export async function readPast(
  service: TestService,
  headers: { authorization?: string },
  document: string,
  last: string,
): Promise<Record<string, string>> {
  const page = await until(
    async () => JSON.stringify(await service.succeed('GET', '/changes?first=100', undefined, headers)),
    (text) => text.includes(last),
  )
  const { cursor } = JSON.parse(page).edges[0]
  const query = '{ changes(first: 100) { edges { node { __typename kind id } } } }'
  return {
    page,
    'a page of GraphQL': JSON.stringify(await service.succeed('POST', '/graphql', { query }, headers)),
    stream: await readStream(service, `/changes?after=${cursor}`, headers, last),
    subscription: await readSubscription(service, headers, document, cursor, last),
  }
}

async function readStream(service: TestService, path: string, headers: object, last: string): Promise<string> {
  const ended = new AbortController()
  const reply = await fetch(`${service.address}${path}`, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: ended.signal,
  })
  let text = ''
  for await (const { data = '' } of readEvents(reply)) {
    text += data
    if (data.includes(last)) break
  }
  ended.abort()
  return text
}

async function readSubscription(
  { address }: TestService,
  headers: object,
  query: string,
  after: string,
  last: string,
): Promise<string> {
  const socket = new WebSocket(`${address.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let text = ''
  socket.on('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload: headers })))
  socket.on('error', reject)
  socket.on('message', (data) => {
    const message = JSON.parse(String(data))
    if (message.type === 'connection_ack') {
      socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query, variables: { after } } }))
    }
    if (message.type === 'error' || message.type === 'complete') reject(new Error(String(data)))
    if (message.type === 'next') text += JSON.stringify(message.payload)
    if (text.includes(last)) resolve()
  })
  await promise
  socket.terminate()
  return text
}
