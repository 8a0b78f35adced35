// Webhooks under SIGKILL: writers over HTTP, a receiver that fails half the time, and a server that is killed at random moments during
// deliveries and started again.
//
// 1. Every acknowledged change is delivered: answered with 204, in the order of the versions of its row.
// 2. Every message is signed, and the same change has the same id in every attempt.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { run } from '../../packages/twain/src/cli/cli.ts'
import { ServerProcess } from '../harness/server-process.ts'
import { openReceiver, type Receiver } from '../webhooks/receiver.ts'

const sdl = `
type User @account { id: ID! email: String! @unique }
type Entry @allow { id: ID! number: Int! }
`
const writers = 8
/** Seconds for a start: on a busy machine it gets a twentieth of a core. */
const patience = 120
const pauses = ['--webhooks-first-retry-seconds', '1', '--webhooks-max-retry-interval-seconds', '1']
/** A killed node keeps its claim on deliveries for twice the timeout of a receiver. */
const flags = ['--webhooks-allow-private', 'true', '--webhooks-timeout-seconds', '2', ...pauses]

export interface WebhookKillReport {
  acknowledged: number
  /** Received messages, including those that were refused. */
  came: number
  /** Messages that came again although they had been accepted. */
  again: number
}

/** `database` is the address of a PostgreSQL database; null: SQLite. */
export async function runWebhookKills(
  events: number,
  kills: number,
  database: string | null,
  print = (_progress: string) => {},
): Promise<WebhookKillReport> {
  const folder = await mkdtemp(join(tmpdir(), 'twain-webhook-kills-'))
  const [schemaFile, data] = [join(folder, 'schema.graphql'), join(folder, 'data')]
  await writeFile(schemaFile, sdl)
  const place = database === null ? ['--data', data] : ['--database', database]
  const flagged = database === null ? flags : [...flags, ...place]
  const start = () => ServerProcess.start(schemaFile, data, flagged, undefined, {}, patience)
  const afterwards: (() => unknown)[] = []
  const acknowledged: string[] = []
  const taken = new Map<string, number>()
  const versions = new Map<string, number>()
  const ids = new Map<string, string>()
  const tries = new Map<string, number>()
  let secret = ''
  let again = 0
  const receiver = await openReceiver(
    { after: (end) => void afterwards.push(end as () => unknown) },
    (got, response) => {
      const { subject, version } = got.event
      const key = `${subject} ${version}`
      const id = got.headers['webhook-id'] ?? ''
      new Webhook(secret).verify(got.body, got.headers)
      assert.equal(ids.get(key) ?? id, id)
      ids.set(key, id)
      tries.set(id, (tries.get(id) ?? 0) + 1)
      if (isRefused(id, tries.get(id)!)) {
        response.writeHead(500).end()
        return
      }
      if (taken.has(key)) again++
      else assert.equal(version, (versions.get(subject) ?? 0) + 1, 'in the order of the row')
      versions.set(subject, Math.max(version, versions.get(subject) ?? 0))
      taken.set(key, (taken.get(key) ?? 0) + 1)
      response.writeHead(204).end()
    },
  )
  let server: ServerProcess | null = null
  try {
    server = await start()
    let { address } = server
    const authorization = `Bearer ${await adminToken(place)}`
    const made = await post(address, '/webhooks', { url: receiver.url, events: ['entry.*'] }, { authorization })
    secret = made.secret
    for (let kill = 0; kill <= kills; kill++) {
      const before = receiver.got.length
      const goal = Math.ceil((events * (kill + 1)) / (kills + 1))
      const stopped = new AbortController()
      const writing = Array.from({ length: writers }, () =>
        write(address, () => acknowledged.length >= goal, acknowledged, stopped.signal),
      )
      if (kill === kills) {
        await Promise.all(writing)
        break
      }
      while (acknowledged.length < goal) await pause(5)
      await somethingCame(receiver, before)
      await pause((kill * 97) % 300)
      await server.kill()
      stopped.abort()
      await Promise.all(writing)
      server = await start()
      address = server.address
      print(`kill ${kill + 1}: ${acknowledged.length} acknowledged, ${taken.size} taken`)
    }
    const missing = () => acknowledged.filter((key) => !taken.has(key))
    // However slow the machine is, as long as messages come.
    let [left, since] = [Number.POSITIVE_INFINITY, performance.now()]
    while (left > 0 && performance.now() - since < 60_000) {
      await pause(100)
      const now = missing().length
      if (now < left) since = performance.now()
      left = Math.min(left, now)
    }
    assert.deepEqual(missing(), [], 'what was acknowledged was delivered')
    return { acknowledged: acknowledged.length, came: receiver.got.length, again }
  } finally {
    await server?.stop()
    for (const end of afterwards) await end()
    await rm(folder, { recursive: true })
  }
}

/** So that the kill is in the middle of deliveries: a restarted server waits for the claims of the killed one. */
async function somethingCame({ got }: Receiver, before: number): Promise<void> {
  const since = performance.now()
  while (got.length === before && performance.now() - since < 60_000) await pause(5)
}

/** Half the attempts, for each message by its own count. */
function isRefused(id: string, nth: number): boolean {
  return Number.parseInt(hash('sha256', `${id} ${nth}`).slice(0, 2), 16) < 128
}

/** Creates and updates rows, one version after another. */
async function write(
  address: string,
  isOver: () => boolean,
  acknowledged: string[],
  signal: AbortSignal,
): Promise<void> {
  try {
    while (!isOver()) {
      const { id } = await post(address, '/entries', { number: 0 }, {}, signal)
      acknowledged.push(`${id} 1`)
      for (let number = 1; number < 4; number++) {
        await post(address, `/entries/${id}`, { number }, {}, signal, 'PATCH')
        acknowledged.push(`${id} ${number + 1}`)
      }
    }
  } catch (error) {
    if (!signal.aborted) await pause(500) // the server was just killed
    if (!signal.aborted) throw error
  }
}

async function post(
  address: string,
  path: string,
  body: object,
  headers: Record<string, string> = {},
  signal: AbortSignal | null = null,
  method = 'POST',
): Promise<{ id: string; secret: string }> {
  const reply = await fetch(`${address}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal,
  })
  const answer = await reply.text()
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${answer}`)
  return JSON.parse(answer)
}

/** A token of an operator for the server on these data. */
export async function adminToken(place: readonly string[]): Promise<string> {
  let output = ''
  const colours = { out: false, err: false }
  const surface = {
    env: {},
    out: (text: string) => (output += text),
    err() {},
    colours,
    stop: new AbortController().signal,
  }
  assert.equal(await run(['token', '--role', 'admin', ...place], surface), 0)
  return output.trim()
}
