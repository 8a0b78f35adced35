// The order in which requests are handled that wait for each other (`request-slices.ts`).

import { deepEqual, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { Log } from '#base'
import { listen } from './server.ts'

const silent: Log = { error() {}, warn() {}, info() {} }

/** Sends each text on a connection of its own, all at the same time, and returns the paths in the order in which they were handled. Each
 *  request takes longer than a slice, so that all others wait for the first. */
async function handledOrder(t: TestContext, texts: readonly string[], requests: number): Promise<string[]> {
  const handled: string[] = []
  const { promise: all, resolve } = Promise.withResolvers<void>()
  const server = await listen({
    host: '127.0.0.1',
    port: 0,
    body: 1000,
    log: silent,
    handle({ path, query }) {
      const until = performance.now() + 8
      while (performance.now() < until);
      handled.push(query === '' ? path : query)
      if (handled.length === requests) resolve()
      return { status: 200, headers: {}, body: null }
    },
  })
  const sockets: Socket[] = []
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    await server.close()
  })
  for (const _ of texts) {
    const socket = connect(server.port, '127.0.0.1').resume()
    sockets.push(socket)
    await once(socket, 'connect')
  }
  for (const [index, socket] of sockets.entries()) socket.write(texts[index]!)
  await all
  return handled
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`
}

function post(path: string, body = '{}'): string {
  return `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

const reads = ['/1', '/2', '/3', '/4', '/5', '/6', '/7', '/8'].map(get)

test('a write does not wait for all reads that came before it', async (t) => {
  const handled = await handledOrder(t, [...reads, post('/posts')], 9)
  ok(handled.indexOf('/posts') < 4, `${handled}`)
  deepEqual(
    handled.filter((path) => path !== '/posts'),
    ['/1', '/2', '/3', '/4', '/5', '/6', '/7', '/8'],
  )
})

test('a mutation is a write, and a query is a read', async (t) => {
  const query = post('/graphql?query', '{"query": "{ posts { id } }"}')
  const mutation = post('/graphql?mutation', '{"query": "mutation { deletePost(id: 1) { id } }"}')
  const handled = await handledOrder(t, [...reads, query, mutation], 10)
  ok(handled.indexOf('mutation') < 4, `${handled}`)
  ok(handled.indexOf('query') > 4, `${handled}`)
})

test('a write waits for the request before it on its own connection', async (t) => {
  const handled = await handledOrder(t, [...reads, get('/posts') + post('/posts?then')], 10)
  ok(handled.indexOf('/posts') < handled.indexOf('then'), `${handled}`)
})
