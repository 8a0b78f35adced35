// A failover that loses commits: a real streaming standby is cut off, the primary acknowledges more writes and ends, and the standby
// takes over. The positions and versions that were lost are used again. Readers that were sent a lost change must learn of it,
// all others must not be disturbed, and no tag of a lost version matches.
// stores: postgres

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { defaultWebhookSettings } from '../../packages/twain/src/events/index.ts'
import { connect, type Database } from '../../packages/twain/src/store/postgres/connect/connect.ts'
import { DatabaseProxy } from '../../packages/twain/src/store/postgres/database-proxy.fixture.ts'
import { PostgresProcess } from '../harness/postgres-process.ts'
import { readEvents, TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'
import { openReceiver } from '../webhooks/receiver.ts'

const sdl = `
type Note @allow { id: ID! text: String! }
type Tag @allow { id: ID! name: String! }`

/** The config file is a module of its own, and calls this global function. */
const handling = globalThis as typeof globalThis & { handleNote?: (text: string) => void }
const code = `export default { on: { Note: ({ row }) => globalThis.handleNote(row.text) } }`

test('after a failover that lost commits no reader goes on with other changes', { timeout: 120_000 }, async (t) => {
  const { service, logged, cutStandby, failOver } = await openCluster(t)
  const handled: string[] = []
  handling.handleNote = (text) => void handled.push(text)
  const receiver = await openReceiver(t)
  const hook = await asSystem(service, 'POST', '/webhooks', { url: receiver.url, events: ['note.*'] })
  const tagHook = await asSystem(service, 'POST', '/webhooks', { url: receiver.url, events: ['tag.*'] })
  const put = async (path: string, body: object) =>
    (await service.send('PUT', path, { id: path.split('/').at(-1), ...body })).headers.get('etag')!
  const end = async () => (await service.succeed('GET', '/changes?after=now&first=0')).pageInfo.endCursor as string
  const notes = await follow(service, '/changes?resource=notes')
  const tags = await follow(service, '/changes?resource=tags')

  await put('/notes/a', { text: 'kept' })
  await notes.has(1)
  await receiver.has(1)
  const kept = await end()
  await cutStandby()
  const lostTag = await put('/notes/a', { text: 'lost 1' })
  await put('/notes/b', { text: 'lost 2' })
  await notes.has(3)
  await receiver.has(3)
  await until(
    async () => handled.length,
    (count) => count === 3,
  )
  const lost = await end()
  await failOver()

  // No cursor of a lost change is accepted, before and after its position is assigned again.
  assert.equal(await statusOf(service, lost), 410)
  for (const text of ['new 1', 'new 2', 'new 3']) await service.succeed('POST', '/notes', { text })
  await put('/tags/t', { name: 'new' })
  const page = await until(
    () => service.send('GET', `/changes?after=${kept}`),
    ({ body }) => body.edges?.length === 4,
  )
  assert.deepEqual(page.body.edges.map(textOf), ['new 1', 'new 2', 'new 3', 'new'])
  assert.equal(await statusOf(service, lost), 410)
  const after = {
    query: 'query ($after: String) { changes(after: $after) { edges { cursor } } }',
    variables: { after: lost },
  }
  assert.equal((await service.send('POST', '/graphql', after)).body.errors[0].extensions.code, 'GONE')
  const resumed = await fetch(`${service.address}/changes`, { headers: { ...stream, 'last-event-id': lost } })
  assert.equal(resumed.status, 410)

  // Only the stream that was sent lost changes ends.
  assert.deepEqual(await notes.ended, 'GONE')
  assert.deepEqual(notes.texts, ['kept', 'lost 1', 'lost 2'])
  await tags.has(1)
  assert.deepEqual(tags.texts, ['new'])

  // The same of webhooks and custom code.
  const paused = await until(
    () => asSystem(service, 'GET', `/webhooks/${hook.id}`),
    ({ active }) => active === false,
  )
  assert.match(String(paused.paused), /lost changes/)
  await until(
    async () => receiver.got.map(({ event }) => textOf({ node: event })),
    (texts) => texts.includes('new'),
  )
  assert.equal((await asSystem(service, 'GET', `/webhooks/${tagHook.id}`)).active, true)
  await asSystem(service, 'PATCH', `/webhooks/${hook.id}`, { active: true })
  await until(
    async () => receiver.got.length,
    (count) => count === 7,
  )
  const sent = receiver.got.map(({ headers }) => headers['webhook-id'])
  assert.equal(new Set(sent).size, sent.length, 'no message id is used again')
  await until(
    async () => handled.at(-1),
    (text) => text === 'new 3',
  )
  assert.deepEqual(handled, ['kept', 'lost 1', 'lost 2', 'new 1', 'new 2', 'new 3'])
  assert.ok(logged.some((message) => /lost changes that custom code/.test(message)))

  // A tag of the lost past matches nothing, although the row has as many versions again.
  const [version] = /\d+/.exec(lostTag)!
  assert.equal(version, '2')
  const replaced = await put('/notes/a', { text: 'other' })
  assert.ok(Number(/\d+/.exec(replaced)![0]) > 100_000)
  const stale = await service.send('PATCH', '/notes/a', { text: 'x' }, { 'if-match': '"2"' })
  assert.equal(stale.status, 412)
  assert.ok(Number(/\d+/.exec(await put('/notes/b', { text: 'other' }))![0]) > 100_000)
})

test('a read never goes to a standby, whatever the address leads to', { timeout: 120_000 }, async (t) => {
  const { service, cutStandby, proxy, primary, standby } = await openCluster(t)
  await service.succeed('PUT', '/notes/a', { text: 'first' })
  await cutStandby()
  await service.succeed('PUT', '/notes/a', { text: 'second' })
  let refusals = 0
  proxy.choose.database = (bytes) => {
    if (bytes.includes('is_standby')) refusals++
    return 'pass'
  }
  proxy.switchTo(standby)
  const read = service.send('GET', '/notes/a')
  await until(
    async () => refusals,
    (count) => count > 1, // the first one was noticed
  )
  proxy.switchTo(primary)
  assert.deepEqual((await read).body.text, 'second')
})

const stream = { accept: 'text/event-stream' }

interface Cluster {
  service: TestService
  /** Between the service and the database. */
  proxy: DatabaseProxy
  /** The addresses of the servers. */
  primary: string
  standby: string
  /** The messages of warnings. */
  logged: string[]
  /** The standby has everything until now, and nothing that follows. */
  cutStandby(): Promise<void>
  /** The primary ends and the standby takes over. */
  failOver(): Promise<void>
}

async function openCluster(t: TestContext): Promise<Cluster> {
  const database = await PostgresProcess.start()
  const standby = await database.startStandby()
  const proxy = await DatabaseProxy.open(database.address)
  const logged: string[] = []
  const log = { info() {}, warn: (_fields: object, message: string) => void logged.push(message), error: console.error }
  const webhooks = { ...defaultWebhookSettings, allowPrivate: true }
  const service = await TestService.open(t, sdl, { database: proxy.address, code, log, webhooks }).finally(() =>
    t.after(async () => {
      await proxy.close()
      await database.end()
    }),
  )
  const [first, second] = [connect(database.address, { size: 1, time: 30 }), connect(standby, { size: 1, time: 30 })]
  t.after(() => Promise.all([first, second].map((one) => one.end(1).catch(() => undefined))))
  assert.ok(logged.some((message) => message.startsWith('replication is asynchronous')))
  return {
    service,
    proxy,
    primary: database.address,
    standby,
    logged,
    async cutStandby() {
      const [flushed] = await first.query('SELECT pg_current_wal_flush_lsn()::text AS lsn')
      await until(
        async () =>
          (await second.query('SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS has', [flushed!.lsn]))[0]!.has,
        (has) => has === true,
      )
      await second.query(`ALTER SYSTEM SET primary_conninfo = ''`)
      await second.query('SELECT pg_reload_conf()')
      await until(
        () => receivers(first),
        (count) => count === 0,
      )
    },
    async failOver() {
      await database.stopServer('SIGQUIT')
      await second.query('SELECT pg_promote()')
      proxy.switchTo(standby)
    },
  }
}

async function receivers(database: Database): Promise<number> {
  const [row] = await database.query('SELECT count(*)::int AS count FROM pg_stat_replication')
  return row!.count as number
}

async function asSystem({ service }: TestService, method: string, path: string, body?: object) {
  const headers = { 'content-type': 'application/json' }
  const reply = await service.handleAsSystem(
    plainRequest(method, path, { headers, body: body === undefined ? '' : JSON.stringify(body) }),
  )
  assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${String(reply.body)}`)
  return JSON.parse(String(reply.body)) as { id: string; active: boolean; paused: string | null }
}

async function statusOf(service: TestService, after: string): Promise<number> {
  return (await service.send('GET', `/changes?after=${after}`)).status
}

function textOf({ node }: { node: { data?: Record<string, unknown> } }): unknown {
  return node.data?.text ?? node.data?.name
}

interface FollowedStream {
  texts: unknown[]
  has(count: number): Promise<void>
  /** The code of the last event. */
  ended: Promise<string>
}

/** A stream that is open all the time. */
async function follow({ address }: TestService, path: string): Promise<FollowedStream> {
  const reply = await fetch(`${address}${path}`, { headers: stream })
  assert.equal(reply.status, 200)
  const texts: unknown[] = []
  const ended = (async () => {
    for await (const { event, data } of readEvents(reply)) {
      if (event === 'end') return (JSON.parse(data!) as { code: string }).code
      if (data !== undefined) texts.push(textOf({ node: JSON.parse(data) }))
    }
    return 'closed'
  })()
  return {
    texts,
    ended,
    async has(count) {
      const end = performance.now() + 30_000
      while (texts.length < count) {
        assert.ok(performance.now() < end, `${texts.length} of ${count} events`)
        await pause(10)
      }
    },
  }
}
