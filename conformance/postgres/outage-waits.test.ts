// While the database is away reads and writes wait the same time, over both APIs. A write whose client has gone before it begins is not
// begun, unless the client can ask for its outcome.
// stores: postgres

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { DatabaseProxy } from '../../packages/twain/src/store/postgres/database-proxy.fixture.ts'
import { makePreparedDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'

const sdl = 'type Note @allow { id: ID! text: String! } type Mark @allow { id: ID! text: String! }'
const code = 'export default { before: { Mark: () => {} } }'
const kinds: [string, string, string, object | undefined][] = [
  ['a read over REST', 'GET', '/notes', undefined],
  ['a read over GraphQL', 'POST', '/graphql', { query: '{ notes { id } }' }],
  ['a write over REST', 'POST', '/notes', { text: 'x' }],
  ['a write over GraphQL', 'POST', '/graphql', { query: 'mutation { createNote(input: {text: "x"}) { id } }' }],
]

test('reads and writes give up after database.outageWaitSeconds', async (t) => {
  const { service, proxy } = await open(t, 1)
  await proxy.stop()

  const waited = await Promise.all(
    kinds.map(async ([name, ...request]) => {
      const began = performance.now()
      const { status, headers } = await service.send(...request)
      assert.equal(status, 503, name)
      assert.ok(headers.has('retry-after'), name)
      return performance.now() - began
    }),
  )

  assert.ok(Math.min(...waited) >= 950, `${waited}`)
  assert.ok(Math.max(...waited) < 20_000, `${waited}`)
  await proxy.restart()
})

test('reads and writes wait for a database that comes back in time', async (t) => {
  const { service, proxy } = await open(t, 25)
  await proxy.stop()
  const answers = Promise.all(kinds.map(([, ...request]) => service.send(...request)))
  // They wait by now: this one has been refused a connection as they have.
  await until(
    () => service.send('GET', '/readyz'),
    ({ status }) => status === 503,
  )

  await proxy.restart()

  assert.deepEqual(
    (await answers).map(({ status }) => status),
    [200, 200, 201, 200],
  )
  assert.equal((await service.succeed('GET', '/notes')).length, 2)
})

test('writes whose clients have gone while the database was away are not begun, except those whose outcome they can ask for', async (t) => {
  const { service, proxy } = await open(t, 25)
  await proxy.stop()
  const isUnready = () =>
    until(
      () => service.send('GET', '/readyz'),
      ({ status }) => status === 503,
    )
  await isUnready() // a write on a connection that is just being cut has begun
  const graphql = (text: string, key: object) =>
    JSON.stringify({ query: `mutation { createNote(input: {text: "${text}"}) { id } }`, ...key })
  const key = 'idempotency-key: "a-key-of-mine"\r\n'
  const sockets = await Promise.all([
    post(service, '/notes', '{"text":"rest"}'),
    post(service, '/notes', '{"text":"rest, key"}', key),
    post(service, '/marks', '{"text":"hook"}'),
    post(service, '/marks', '{"text":"hook, key"}', key),
    post(service, '/notes', '[{"text":"list"}]'),
    post(service, '/graphql', graphql('graphql', {})),
    post(service, '/graphql', graphql('graphql, key', { extensions: { idempotencyKey: 'another-key' } })),
    post(service, '/batch', '[{"method":"POST","path":"/notes","body":{"text":"batch"}}]'),
  ])
  await isUnready()
  const [here] = await Promise.all([service.send('POST', '/notes', { text: 'here' }), leave(service, sockets, proxy)])

  assert.equal(here.status, 201)
  const texts = await until(
    async () => (await service.succeed('GET', '/notes')).map(({ text }: { text: string }) => text),
    (found) => found.length >= 3,
  )
  assert.deepEqual(texts.toSorted(), ['graphql, key', 'here', 'rest, key'])
  const marks = await until(
    async () => (await service.succeed('GET', '/marks')).map(({ text }: { text: string }) => text),
    (found) => found.length >= 1,
  )
  assert.deepEqual(marks, ['hook, key'])
})

async function open(t: TestContext, outageWaitSeconds: number) {
  const database = await makePreparedDatabase()
  const proxy = await DatabaseProxy.open(database.address)
  const service = await TestService.open(t, sdl, { database: proxy.address, outageWaitSeconds, code })
  t.after(async () => {
    await service.close()
    await proxy.close()
    await database.drop()
  })
  await service.succeed('GET', '/notes')
  return { service, proxy }
}

/** Resolves when the request is on its way. */
async function post({ address }: TestService, path: string, body: string, header = ''): Promise<Socket> {
  const socket = connect(Number(new URL(address).port), '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${header}content-length: ${body.length}\r\n\r\n`
  await new Promise<void>((resolve) => socket.write(head + body, () => resolve()))
  return socket
}

/** The server has noticed it when it has answered what came later. */
async function leave(service: TestService, sockets: readonly Socket[], proxy: DatabaseProxy): Promise<void> {
  for (const socket of sockets) socket.destroy()
  for (let n = 0; n < 3; n++) await service.send('GET', '/healthz')
  await proxy.restart()
}
