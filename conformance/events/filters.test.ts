// Filters of subscriptions, with every operator and every channel. The list with the same filter is the oracle: a row that is in it
// before and after a change is an event "updated", only after it "updated" or "created", only before it "deleted"
// (docs/reference/events.md).
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'

const sdl = `
  interface Place { id: ID! name: String! }
  type City implements Place { id: ID! name: String! }
  type Farm implements Place { id: ID! name: String! }
  union Topic = City | Farm
  enum Status { OPEN CLOSED }
  type Size { a: Int b: String }
  type Note {
    id: ID! text: String! n: Int f: Float ok: Boolean at: DateTime day: Date big: BigInt dec: Decimal
    json: JSON status: Status tags: [String!] size: Size city: City place: Place topic: Topic parent: Note
  }
`

const filters = [
  '{text: {eq: "a"}}',
  '{text: {ne: "a"}}',
  '{text: {in: ["a", "b"]}}',
  '{text: {notIn: ["a", "b"]}}',
  '{text: {lt: "b"}}',
  '{text: {gte: "b"}}',
  '{text: {contains: "A"}}',
  '{text: {startsWith: "a"}}',
  '{text: {endsWith: "é"}}',
  '{text: {ieq: "A"}}',
  '{text: {iendsWith: "E"}}',
  '{n: {gt: 1}}',
  '{n: {lte: 1}}',
  '{n: {ne: 5}}',
  '{n: {isNull: true}}',
  '{f: {lt: 1.5}}',
  '{ok: {eq: true}}',
  '{ok: {ne: true}}',
  '{at: {gte: "2021-01-01T01:00:00+01:00"}}',
  '{day: {lt: "2021-01-01"}}',
  '{big: {gt: "9007199254740993"}}',
  '{dec: {eq: "1.10"}}',
  '{status: {in: [OPEN]}}',
  '{status: {notIn: [OPEN]}}',
  '{json: {isNull: false}}',
  '{tags: {isNull: true}}',
  '{size: {a: {eq: 1}}}',
  '{city: {name: {eq: "c1"}}}',
  '{city: {isNull: true}}',
  '{place: {name: {eq: "f1"}}}',
  '{topic: {isNull: false}}',
  '{parent: {text: {eq: "parent"}}}',
  '{not: {text: {eq: "a"}}}',
  '{or: [{text: {eq: "b"}}, {n: {eq: 5}}]}',
  '{and: [{text: {eq: "a"}}, {n: {eq: 5}}]}',
  '{id: {in: ["n1"]}}',
  '{}',
]

/** Channels, and the equivalent filters; several arguments are combined by "and". */
const channels: [channel: string, same: string][] = [
  ['city: "c1"', '{city: {id: {eq: "c1"}}}'],
  ['city: null, text: null', '{}'],
  ['place: "f1"', '{place: {id: {eq: "f1"}}}'],
  ['place: "Farm:f1"', '{place: {id: {eq: "f1"}}}'],
  ['place: "City:f1"', '{id: {in: []}}'],
  ['topic: "City:c1"', '{topic: {id: {eq: "c1"}}}'],
  ['parent: "p"', '{parent: {id: {eq: "p"}}}'],
  ['id: "n1"', '{id: {eq: "n1"}}'],
  ['text: "a"', '{text: {eq: "a"}}'],
  ['text: "Aé"', '{text: {eq: "Aé"}}'],
  ['text: "b", city: "c1"', '{and: [{text: {eq: "b"}}, {city: {id: {eq: "c1"}}}]}'],
  ['id: "n1", city: "c1"', '{and: [{id: {eq: "n1"}}, {city: {id: {eq: "c1"}}}]}'],
  ['id: "n1", city: "c1", where: {n: {eq: 5}}', '{and: [{city: {id: {eq: "c1"}}}, {n: {eq: 5}}, {id: {eq: "n1"}}]}'],
  ['city: "c1", place: "f1"', '{and: [{city: {id: {eq: "c1"}}}, {place: {id: {eq: "f1"}}}]}'],
]

const whole = {
  text: 'a',
  n: 5,
  f: 1.5,
  ok: true,
  at: '2021-01-01T00:00:00Z',
  day: '2020-05-05',
  big: '9007199254740994',
  dec: '1.1',
  json: { x: 1 },
  status: 'OPEN',
  tags: ['x'],
  size: { a: 1, b: 'b' },
  city: 'c1',
  place: 'f1',
  topic: 'City:c1',
}

/** Writes in order; null deletes the row. Fields that are not named stay. */
const steps: [id: string, change: object | null][] = [
  ['n1', whole],
  ['n1', { text: 'Aé', n: null, ok: false, size: null }],
  ['n2', { text: 'b', n: 1, parent: 'p' }],
  ['n1', { city: 'c2', place: 'c2', f: -1, at: null, big: '9007199254740993', dec: '1.11', json: null }],
  ['n1', { city: null, place: null, topic: null, status: 'CLOSED', tags: null, day: '2021-01-01' }],
  ['n2', { parent: null, n: 5, city: 'c1', place: 'City:c1', topic: 'Farm:f1' }],
  ['n2', null],
  ['n1', { ...whole, text: 'b' }],
  ['n1', null],
]

test('a subscription has events for rows that start to match its filter, still match, and no longer match', async (t) => {
  const service = await TestService.open(t, sdl)
  for (const [path, name] of Object.entries({ 'cities/c1': 'c1', 'cities/c2': 'c2', 'farms/f1': 'f1' })) {
    await service.succeed('PUT', `/${path}`, { name })
  }
  await service.succeed('PUT', '/notes/p', { text: 'parent' })
  const sent = [...filters.map((where) => [`where: ${where}`, where] as const), ...channels]
  const { endCursor } = await until(
    async () => {
      const { edges, pageInfo } = await service.succeed('GET', '/changes?first=100')
      return { count: edges.length, endCursor: pageInfo.endCursor }
    },
    ({ count }) => count === 4,
  )

  const several = await service.send('GET', '/changes?resource=places')
  assert.match(several.body.detail, /of several types.*use one of cities, farms/)
  const hearAll = async () => {
    const socket = await SocketClient.open(service)
    t.after(() => socket.end())
    return sent.map(([args], index) => socket.subscribe(`(after: "${endCursor}", ${args})`, String(index)))
  }
  const live = await hearAll()
  const expected = sent.map((): string[] => [])
  let before = sent.map((): string[] => [])
  for (const [id, change] of steps) {
    const was = (await service.send('GET', `/notes/${id}`)).status
    if (change === null) await service.succeed('DELETE', `/notes/${id}`)
    else await service.succeed(was === 200 ? 'PATCH' : 'PUT', `/notes/${id}`, change)
    const after = await idsFulfilling(service, sent)
    for (const [index, events] of expected.entries()) {
      const [stood, stands] = [before[index]!.includes(id), after[index]!.includes(id)]
      if (stands) events.push(`${was === 200 ? 'UPDATED' : 'CREATED'} ${id}`)
      else if (stood) events.push(`DELETED ${id}`)
    }
    before = after
  }

  const resumed = await hearAll()
  const haveHeard = () =>
    until(
      async () => [live, resumed],
      (all) => all.every((received) => received.every(({ length }, index) => length >= expected[index]!.length)),
    )
  await haveHeard()
  await service.succeed('PUT', '/notes/last', whole) // a superfluous event would come before this one
  const last = await idsFulfilling(service, sent)
  for (const [index, ids] of last.entries()) if (ids.includes('last')) expected[index]!.push('CREATED last')
  await haveHeard()
  for (const [index, [args]] of sent.entries()) {
    assert.deepEqual(live[index], expected[index], args)
    assert.deepEqual(resumed[index], expected[index], `${args}, resumed`)
  }
})

/** As many in one document as the cost limit allows. */
async function idsFulfilling(service: TestService, sent: readonly (readonly [string, string])[]): Promise<string[][]> {
  const found: string[][] = []
  for (let from = 0; from < sent.length; from += 10) {
    const some = sent.slice(from, from + 10)
    const query = `{ ${some.map(([, where], index) => `q${index}: notes(where: ${where}) { id }`).join('\n')} }`
    const { data, errors } = await service.succeed('POST', '/graphql', { query })
    assert.equal(errors, undefined, JSON.stringify(errors))
    for (const index of some.keys()) found.push(data[`q${index}`].map(({ id }: { id: string }) => id))
  }
  return found
}

class SocketClient {
  readonly #socket: WebSocket
  readonly #received = new Map<string, string[]>()

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data) => {
      const { type, id, payload } = JSON.parse(String(data))
      const { kind, id: row } = payload?.data?.noteChanged ?? {}
      this.#received.get(id)?.push(type === 'next' ? `${kind} ${row}` : JSON.stringify(payload))
    })
  }

  static async open({ address }: TestService): Promise<SocketClient> {
    const socket = new WebSocket(`${address.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
    await once(socket, 'open')
    socket.send('{"type":"connection_init"}')
    await once(socket, 'message')
    return new SocketClient(socket)
  }

  subscribe(args: string, id: string): string[] {
    const received: string[] = []
    this.#received.set(id, received)
    const payload = { query: `subscription { noteChanged${args} { kind id } }` }
    this.#socket.send(JSON.stringify({ type: 'subscribe', id, payload }))
    return received
  }

  end(): void {
    this.#socket.terminate()
  }
}
