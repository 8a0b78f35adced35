// Open subscriptions take memory that can't be dropped. However much some clients hold, others subscribe.
// stores: sqlite

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { Metrics } from '../../packages/twain/src/http/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { readEvents, TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'

const sdl = `
type User @account(login: "email") @allow(to: [CREATE]) @allow(who: "self") { id: ID! email: String! @unique name: String }
type Note @allow(to: [READ]) @allow(role: "admin") { id: ID! title: String! text: String number: Int }
`
const fields = ['title', 'text', 'number', 'id']
const cacheBytes = 4_194_304

test('a client with many large subscriptions is refused, and closing frees their memory', async (t) => {
  const service = await open(t)
  const greedy = await Subscriber.open(service)
  for (let n = 0; n < 12; n++) greedy.subscribe(200)
  await greedy.settled()

  assert.ok(greedy.refused.length > 0 && greedy.refused.length < 12, `${greedy.refused.length} of 12 were refused`)
  assert.match(greedy.refused[0]!, /Too many large subscriptions are open/)
  assert.ok((await heldBytes(service)) <= cacheBytes / 8)

  greedy.close()
  await until(
    () => heldBytes(service),
    (bytes) => bytes === 0,
  )
})

test('accounts that hold all they can keep nobody from subscribing, and hold what they are given', async (t) => {
  const service = await open(t)
  const operator = `Bearer ${await service.operator('admin')}`
  const attackers: Subscriber[] = []
  for (let n = 0; n < 5; n++) {
    const attacker = await Subscriber.open(service, (await service.signUp(`attacker-${n}`)).authorization)
    attackers.push(attacker)
    for (let k = 0; k < 6; k++) attacker.subscribe(150)
    await attacker.settled()
  }
  // The rest of the memory, with ever smaller subscriptions.
  for (const attacker of attackers) {
    for (let k = 0; k < 80; k++) attacker.subscribe([12, 6, 3, 1][k % 4]!)
    await attacker.settled()
  }
  assert.ok(attackers.every(({ refused }) => refused.length > 0))

  const victims = [(await service.signUp('ann')).authorization, null, operator]
  for (const authorization of victims) {
    const victim = await Subscriber.open(service, authorization)
    for (const size of [2, 6, 12]) victim.subscribe(size)
    await victim.settled()
    assert.deepEqual(victim.refused, [])
    for (const path of ['/changes', '/changes?resource=notes&number=1']) {
      const headers = { accept: 'text/event-stream', ...(authorization === null ? {} : { authorization }) }
      const reply = await fetch(`${service.address}${path}`, { headers, signal: t.signal })
      assert.equal(reply.status, 200, path)
      if (!path.includes('?')) victim.streams.push(reply)
    }
    // What is open gets its events.
    await service.succeed('POST', '/notes', { title: 'news', number: 1 }, { authorization: operator })
    await until(
      () => Promise.resolve(victim.events),
      (events) => events === 3,
    )
    for (const stream of victim.streams) await readOne(stream)
    victim.close()
  }
  // An operator's large one fits beside those of clients.
  const large = await Subscriber.open(service, operator)
  large.subscribe(150)
  await large.settled()
  assert.deepEqual(large.refused, [])
  assert.ok((await heldBytes(service)) <= cacheBytes * (1 / 2 + 1 / 8))
  for (const one of [...attackers, large]) one.close()
})

function open(t: Parameters<typeof TestService.open>[0]): Promise<TestService> {
  const metrics = { of: new Metrics(), to: 'open' as const }
  t.after(() => metrics.of.close())
  return TestService.open(t, sdl, { limits: { ...defaultLimits, cacheBytes }, metrics })
}

async function heldBytes(service: TestService): Promise<number> {
  const text: string = await service.succeed('GET', '/metrics')
  return Number(/twain_cache_bytes\{cache="subscriptions"\} (\d+)/.exec(text)![1])
}

async function readOne(stream: Response): Promise<void> {
  for await (const { data } of readEvents(stream)) if (data !== undefined) return
}

let documents = 0

class Subscriber {
  readonly refused: string[] = []
  readonly streams: Response[] = []
  events = 0
  readonly #socket: WebSocket
  #onResult: () => void = () => {}

  static async open({ address }: TestService, authorization: string | null = null): Promise<Subscriber> {
    const socket = new WebSocket(`${address.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
    await once(socket, 'open')
    const payload = authorization === null ? {} : { authorization }
    socket.send(JSON.stringify({ type: 'connection_init', payload }))
    await once(socket, 'message')
    return new Subscriber(socket)
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data) => {
      const { id, type, payload } = JSON.parse(String(data))
      if (type === 'error') this.refused.push(payload[0].message)
      else if (type === 'next' && id.startsWith('s')) this.events++
      else if (type === 'complete') this.#onResult()
    })
  }

  /** With a document that nobody else has. */
  subscribe(size: number): void {
    const name = `s${documents++}`
    const selection = Array.from({ length: size }, (_, n) => `${name}_${n}: ${fields[n % fields.length]}`)
    this.#send(name, `subscription { noteCreated { ${selection.join(' ')} } }`)
  }

  /** An accepted subscription says nothing: it is open when the answer to a later query came. */
  async settled(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onResult = resolve
    this.#send(`q${documents++}`, '{ notes { id } }')
    await promise
  }

  close(): void {
    this.#socket.close()
  }

  #send(id: string, query: string): void {
    this.#socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query } }))
  }
}
