// Caches have weight: anonymous clients that send ever new documents, queries and subscriptions don't fill memory.
// stores: sqlite
// all samples: postgres
// process: own (it measures the heap)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { WebSocket } from 'ws'
import { Metrics } from '../../packages/twain/src/http/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { TestService } from '../harness/test-service.ts'

const sdl = 'type Note @allow(to: [READ]) { id: ID! title: String! text: String number: Int rating: Float }'
const fields = ['id', 'title', 'text', 'number', 'rating']
const cacheBytes = 8_388_608

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

test('40 different documents of 640 fields, each sent twice, stay within limits.cacheBytes', async (t) => {
  const service = await open(t)
  await send(service, documentOf('first', 640))
  const before = heapMegabytes()

  for (let n = 0; n < 40; n++) for (let time = 0; time < 2; time++) await send(service, documentOf(`d${n}`, 640))

  assert.ok((await cachedBytes(service)) <= cacheBytes)
  const grown = heapMegabytes() - before
  assert.ok(grown < 12, `the heap grew by ${grown} MB`)
})

test('ever new REST queries stay within limits.cacheBytes', async (t) => {
  const service = await open(t)
  for (let n = 0; n < 300; n++) {
    const names = fields.toSorted(() => Math.random() - 0.5)
    const filters = fields.slice(1).map((name, index) => `${name}[${n % (index + 3) === 0 ? 'eq' : 'ne'}]=${n}`)
    await service.send('GET', `/notes?fields=${names}&sort=${names[n % 5]}&${filters.join('&')}`)
  }
  const metrics = await cacheMetrics(service)

  assert.ok((await cachedBytes(service)) <= cacheBytes)
  assert.ok(metrics.get('twain_cache_bytes{cache="rest_plans"}')! > 0)
  assert.ok(metrics.get('twain_cache_entries{cache="sql_statements"}')! > 0)
})

test('a client with many large subscriptions is refused, others are not, and closing frees their memory', async (t) => {
  const service = await open(t)
  const greedy = await Subscriber.open(service)
  for (let n = 0; n < 20; n++) greedy.subscribe(`s${n}`, subscriptionOf(`s${n}`, 200))
  for (let n = 0; n < 20; n++) await greedy.outcomeOf(`s${n}`)

  assert.ok(greedy.refused.length > 0 && greedy.refused.length < 20, `${greedy.refused.length} of 20 were refused`)
  assert.match(greedy.refused[0]!, /Too many large subscriptions are open/)
  assert.ok((await heldBytes(service)) <= cacheBytes / 8)

  greedy.close()
  await until(async () => (await heldBytes(service)) === 0)
})

function open(t: Parameters<typeof TestService.open>[0]): Promise<TestService> {
  const metrics = { of: new Metrics(), to: 'open' as const }
  t.after(() => metrics.of.close())
  return TestService.open(t, sdl, { limits: { ...defaultLimits, cacheBytes }, metrics })
}

function documentOf(name: string, size: number): string {
  return `{ note(id: "none") { ${selectionOf(name, size)} } }`
}

function subscriptionOf(name: string, size: number): string {
  return `subscription { noteChanged { ... on NoteChanged { note { ${selectionOf(name, size)} } } } }`
}

function selectionOf(name: string, size: number): string {
  return Array.from({ length: size }, (_, index) => `${name}_${index}: ${fields[index % fields.length]}`).join(' ')
}

async function send(service: TestService, query: string): Promise<void> {
  const { data } = await service.succeed('POST', '/graphql', { query })
  assert.deepEqual(data, { note: null })
}

function heapMegabytes(): number {
  collectGarbage()
  return Math.round(process.memoryUsage().heapUsed / 1_048_576)
}

async function cacheMetrics(service: TestService): Promise<Map<string, number>> {
  const text: string = await service.succeed('GET', '/metrics')
  const lines = text.split('\n').filter((line) => line.startsWith('twain_cache_'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]))
}

/** All that is cached in this process; the writer's thread and PostgreSQL have a share of their own. */
async function cachedBytes(service: TestService): Promise<number> {
  const bytes = [...(await cacheMetrics(service))].filter(([name]) => name.startsWith('twain_cache_bytes'))
  assert.ok(bytes.length > 5)
  return bytes.reduce((sum, [name, value]) => (/"(writer|prepared_statements)"/.test(name) ? sum : sum + value), 0)
}

async function heldBytes(service: TestService): Promise<number> {
  return (await cacheMetrics(service)).get('twain_cache_bytes{cache="subscriptions"}')!
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 10))
}

class Subscriber {
  readonly refused: string[] = []
  readonly #socket: WebSocket
  readonly #outcomes = new Map<string, () => void>()
  readonly #settled = new Map<string, Promise<void>>()

  static async open({ address }: TestService): Promise<Subscriber> {
    const socket = new WebSocket(`${address.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
    await new Promise((resolve) => socket.once('open', resolve))
    socket.send('{"type":"connection_init"}')
    await new Promise((resolve) => socket.once('message', resolve))
    return new Subscriber(socket)
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data) => {
      const { id, type, payload } = JSON.parse(String(data))
      if (type === 'error') this.refused.push(payload[0].message)
      if (type === 'pong') for (const settle of this.#outcomes.values()) settle()
      this.#outcomes.get(id)?.()
    })
  }

  subscribe(id: string, query: string): void {
    this.#settled.set(id, new Promise((resolve) => this.#outcomes.set(id, resolve)))
    this.#socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query } }))
  }

  /** An accepted subscription says nothing: it is open when the answer to a later query came. */
  async outcomeOf(id: string): Promise<void> {
    this.subscribe(`after ${id}`, '{ notes { id } }')
    await this.#settled.get(`after ${id}`)
  }

  close(): void {
    this.#socket.close()
  }
}
