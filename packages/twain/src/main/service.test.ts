import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '#base'
import { type ApiHandler, anonymous, type HttpRequest, isStream, plainRequest } from '#base/http'
import { defaultLimits } from '#plan'
import type { Runtime } from './compose.ts'
import { SchemaRejected } from './read-files.ts'
import { openService } from './service.ts'

const one = 'type Post { id: ID!, title: String }'
const two = 'type Post { id: ID!, title: String, body: String }'

test('the service serves the schema file, and after a reload the changed file', async (t) => {
  const { service, write, events } = await open(t)
  assert.equal((await service.handle(get('/x'))).body, one)

  write(two)
  const reload = await service.reload()

  assert.ok(reload.kind === 'swapped')
  assert.equal(reload.before.resources[0]?.fields.has('body'), false)
  assert.equal(reload.after.resources[0]?.fields.has('body'), true)
  assert.equal((await service.handle(get('/x'))).body, two)
  assert.deepEqual(events, ['open one', 'close one', 'open two'])
})

test('a running request uses its schema to the end, and a request during a reload waits', async (t) => {
  const { service, write, blocked } = await open(t)
  write(two)

  const before = service.handle(get('/blocked'))
  const reload = service.reload()
  while ((await service.handle(get('/readyz'))).status !== 503) await sleep(1)
  const during = service.handle(get('/x'))
  blocked.resolve()

  assert.equal((await before).body, one)
  assert.equal((await during).body, two)
  assert.equal((await reload).kind, 'swapped')
  assert.equal((await service.handle(get('/readyz'))).status, 200)
})

test('a schema file with mistakes leaves the served schema unchanged', async (t) => {
  const { service, write, events } = await open(t)
  write('type Post {')
  const reload = await service.reload()
  assert.ok(reload.kind === 'rejected' && reload.reason instanceof SchemaRejected)
  assert.equal((await service.handle(get('/x'))).body, one)
  assert.deepEqual(events, ['open one'])

  write(one)
  assert.equal((await service.reload()).kind, 'same')
})

test('if the store refuses a schema, the previous one stays in service', async (t) => {
  const { service, write, events } = await open(t, ['two'])
  write(two)
  const reload = await service.reload()
  assert.equal(reload.kind, 'rejected')
  assert.equal((await service.handle(get('/x'))).body, one)
  assert.deepEqual(events, ['open one', 'close one', 'refuse two', 'open one'])
})

test('if the previous schema can not be reopened either, the service answers 503 until a reload succeeds', async (t) => {
  const refused = ['two']
  const { service, write } = await open(t, refused)
  refused.push('one')
  write(two)
  assert.equal((await service.reload()).kind, 'lost')
  assert.equal((await service.handle(get('/x'))).status, 503)
  assert.equal((await service.handle(get('/readyz'))).status, 503)

  refused.length = 0
  assert.equal((await service.reload()).kind, 'swapped')
  assert.equal((await service.handle(get('/x'))).body, two)
})

test('closing waits for requests in progress', async (t) => {
  const { service, events } = await open(t)
  const slow = service.handle(get('/slow'))
  await service.close()
  assert.equal((await slow).status, 200)
  assert.deepEqual(events, ['open one', 'answered', 'close one'])
  assert.equal((await service.handle(get('/x'))).status, 503)
})

test('closing waits for a stream until it ends, fails or is cancelled, also before its first read', async (t) => {
  for (const use of ['read', 'leave', 'never begin'] as const) {
    const { service, events } = await open(t)
    const { body } = await service.handle(get('/stream'))
    assert.ok(isStream(body))
    assert.equal(body.waitingSize, 5)
    const parts = body[Symbol.asyncIterator]()
    if (use !== 'never begin') await parts.next()
    const closed = service.close()
    await new Promise(setImmediate)
    assert.deepEqual(events, ['open one'])
    if (use === 'read') assert.equal((await parts.next()).done, true)
    else await parts.return?.()
    await closed
    assert.deepEqual(events, ['open one', 'close one'])
  }
})

test('a reload in progress when the service closes opens nothing', async (t) => {
  const { service, write, events } = await open(t)
  write(two)
  const reload = service.reload()
  await service.close()
  await reload
  assert.deepEqual(events, ['open one', 'close one'])
})

test('a reader that takes nothing holds up no reload, also if its stream begins after those that were there were ended', {
  timeout: 60_000,
}, async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { service, write, blocked } = await open(t)
  write(two)
  const early = await service.handle(get('/stream'))
  const late = service.handle(get('/blocked-stream'))
  const reload = service.reload()
  while ((await service.handle(get('/readyz'))).status !== 503) await new Promise(setImmediate)
  t.mock.timers.tick(10_000)
  blocked.resolve()
  assert.ok(isStream((await late).body) && isStream(early.body))
  t.mock.timers.tick(10_000)
  assert.equal((await reload).kind, 'swapped')
  await assert.rejects(early.body[Symbol.asyncIterator]().next(), { code: 'UNAVAILABLE' })
})

test('a missing file has a clear message', async () => {
  await assert.rejects(
    openService({ schemaFile: 'no/such.graphql', data: '', limits: defaultLimits, log }),
    new SchemaRejected('There is no file no/such.graphql.', [], [], undefined),
  )
})

const log: Log = { info() {}, warn() {}, error() {} }

/** A service whose APIs answer with the SDL that they serve. */
async function open(t: TestContext, refused: string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-service-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const schemaFile = join(folder, 'schema.graphql')
  const write = (sdl: string) => writeFileSync(schemaFile, sdl)
  const events: string[] = []
  const blocked = Promise.withResolvers<void>()
  const build = async ({ sdl }: { sdl: string }): Promise<Runtime> => {
    const name = sdl === one ? 'one' : 'two'
    events.push(`${refused.includes(name) ? 'refuse' : 'open'} ${name}`)
    if (refused.includes(name)) throw new Error('refused')
    async function* stream() {
      yield sdl
    }
    const handler: ApiHandler = async ({ path }) => {
      if (path === '/stream') return { status: 200, headers: {}, body: Object.assign(stream(), { waitingSize: 5 }) }
      if (path.startsWith('/blocked')) await blocked.promise
      if (path === '/blocked-stream') return { status: 200, headers: {}, body: stream() }
      if (path === '/slow') await sleep(30).then(() => events.push('answered'))
      return { status: 200, headers: {}, body: sdl }
    }
    return {
      rest: handler,
      graphql: handler,
      operator: handler,
      files: null,
      viewerOf: async () => anonymous,
      signOperator: async () => ({ token: '', expiresAt: '' }),
      monitor: { mayRecord: () => false, record: async (_, work) => work() },
      unready: () => null,
      hasResults: () => false,
      endStreams() {},
      sockets: { open: () => ({ receive() {}, closed() {} }), gauges: () => [], restart() {} },
      gauges: [],
      close: async () => void events.push(`close ${name}`),
    }
  }
  write(one)
  const service = await openService({ schemaFile, data: folder, limits: defaultLimits, log }, build)
  return { service, write, events, blocked }
}

test('a retired service is not ready but still answers', async (t) => {
  const { service } = await open(t)
  service.retire()
  assert.equal((await service.handle(get('/readyz'))).status, 503)
  assert.equal((await service.handle(get('/x'))).status, 200)
})

function get(path: string): HttpRequest {
  return plainRequest('GET', path)
}
