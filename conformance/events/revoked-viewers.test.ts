// A viewer whose token, account or roles ended gets no more events (docs/reference/events.md): streams of every kind are closed within
// five seconds, and long polls are answered (R129).
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import { plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { MachineDelay } from '../harness/machine-delay.ts'
import { type Person, readAllEvents, TestService } from '../harness/test-service.ts'

const sdl = `
  type User @account @allow(to: [CREATE, READ]) @allow(who: "self") {
    id: ID! email: String! @unique name: String roles: [String!]
  }
  type Note @allow(who: "signedIn") { id: ID! text: String! }
  extend type Subscription { pings: Int! @allow(who: "signedIn") }
`
/** A custom subscription that never yields anything, and ends only if the code is told so. */
const code = `import { setTimeout as sleep } from 'node:timers/promises'
export default {
  resolvers: { Subscription: { pings: { async *subscribe(_args, { signal }) { await sleep(1e9, null, { signal }) } } } },
}
`
const promised = 5000
/** How many times an ending waits for the machine, as each echo does once: the check, the query, the message to the client. */
const echoes = 5

/** The close of a stream, and its time. */
interface Closed {
  how: unknown
  at: number
}

test('R129: when a token, an account or its roles end, every stream of the viewer is closed within five seconds', async (t) => {
  let ahead = 0
  const service = await TestService.open(t, sdl, { clock: () => Date.now() + ahead, code })
  const names = ['signs-out', 'is-deleted', 'has-new-password', 'has-new-roles', 'expires'] as const
  const people = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await service.signUp(name)] as const)),
  ) as Record<(typeof names)[number], Person>
  const openStreams = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await openAll(service, people[name], t)] as const)),
  ) as Record<(typeof names)[number], Promise<Closed>[]>
  const as = ({ authorization }: Person) => ({ authorization })
  const asSystem = async (method: string, path: string, body: unknown) => {
    const request = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    const { status } = await service.service.handleAsSystem(plainRequest(method, path, request))
    assert.ok(status < 300)
  }

  const endings: Record<(typeof names)[number], (person: Person) => Promise<unknown>> = {
    'signs-out': (person) => service.succeed('DELETE', `/tokens/${person.session}`, undefined, as(person)),
    'is-deleted': (person) => service.succeed('DELETE', `/users/${person.id}`, undefined, as(person)),
    'has-new-password': (person) => asSystem('PATCH', `/users/${person.id}`, { password: 'another long password' }),
    'has-new-roles': (person) => asSystem('PATCH', `/users/${person.id}`, { roles: ['clerk'] }),
    expires: async () => {
      ahead = 3600_000
    },
  }
  const streams = ['end UNAUTHENTICATED', 'next UNAUTHENTICATED']
  const ended = [4403, ...streams, ...streams, 'UNAUTHENTICATED']
  const changed = [1012, ...Array.from({ length: 5 }, () => 'come again')]
  const endOne = async (name: (typeof names)[number], lateness: MachineDelay) => {
    await endings[name](people[name])
    const from = performance.now()
    const closed = await Promise.all(openStreams[name])
    const how = closed.map((one) => one.how)
    assert.deepEqual(how, name === 'has-new-roles' ? changed : ended, name)
    const took = Math.max(...closed.map(({ at }) => at)) - from
    const limit = promised + echoes * lateness.within(from, performance.now())
    assert.ok(took <= limit, `${name}: ${Math.round(took)} ms, where ${Math.round(limit)} are fair`)
    t.diagnostic(`${name}: ${Math.round(took)} ms of ${Math.round(limit)}`)
  }
  const echo = () => service.succeed('GET', '/users?limit=1')
  for (let turn = 0; turn < 5; turn++) await echo() // the long poll has reached the server by then
  await MachineDelay.beside(echo, async (lateness) => {
    const [expires, ...others] = names.toReversed()
    await Promise.all(others.map((name) => endOne(name, lateness)))
    await endOne(expires!, lateness) // all tokens end then
  })
})

/** A WebSocket, event streams of both APIs, of changes and of custom code, and a long poll: each resolves when the server closes it. */
async function openAll(
  service: TestService,
  { authorization }: Person,
  t: { after(end: () => unknown): void },
): Promise<Promise<Closed>[]> {
  const query = 'subscription { noteCreated { id } }'
  const { promise: socket, resolve } = Promise.withResolvers<Closed>()
  const { promise: acknowledged, resolve: acknowledge } = Promise.withResolvers<void>()
  const client = createClient({
    url: `${service.address.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    lazy: false,
    retryAttempts: 0,
    onNonLazyError() {},
    connectionParams: { authorization },
    on: {
      connected: () => acknowledge(),
      closed: (event) => resolve({ how: (event as { code: number }).code, at: performance.now() }),
    },
  })
  t.after(() => client.dispose())
  client.subscribe({ query }, { next() {}, error() {}, complete() {} })
  const accept = 'text/event-stream'
  client.subscribe({ query: 'subscription { pings }' }, { next() {}, error() {}, complete() {} })
  const paths = [
    '/changes?resource=notes',
    `/graphql?query=${encodeURIComponent(query)}`,
    '/pings',
    `/graphql?query=${encodeURIComponent('subscription { pings }')}`,
  ]
  const opened = paths.map((path) => fetch(`${service.address}${path}`, { headers: { accept, authorization } }))
  const streams = await Promise.all(opened)
  await acknowledged
  return [socket, ...streams.map(lastEvent), longPoll(service, authorization)]
}

async function lastEvent(reply: Response): Promise<Closed> {
  const events = (await readAllEvents(reply)).filter(({ data }) => data)
  const at = performance.now()
  const [last] = events
  if (last === undefined) return { how: 'come again', at }
  const { code, errors } = JSON.parse(last.data!)
  return { how: `${last.event} ${code ?? errors[0].extensions.code}`, at }
}

async function longPoll(service: TestService, authorization: string): Promise<Closed> {
  const headers = { authorization, prefer: 'wait=25' }
  const { status, body } = await service.send('GET', '/changes?resource=notes&after=now', undefined, headers)
  const at = performance.now()
  if (status === 200) return { how: body.edges.length === 0 ? 'come again' : body.edges, at }
  return { how: body.code, at }
}
