// Retries are safe, and no update is lost, over HTTP against a server that is killed.
//
// 1. Each write is sent with its idempotency key until it is answered; some answers are lost, some requests find no server. Each key
//    has one effect.
// 2. Of clients that read the same version and write with `If-Match`, one wins each round.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ServerProcess } from '../harness/server-process.ts'

const sdl = 'type Entry @allow { id: ID! number: Int! @index }\n'
const workers = 8

export interface RetryReport {
  sent: number
  replayed: number
  /** Requests that were aborted, or that no server answered. */
  lost: number
}

export interface RetrySize {
  keys: number
  kills: number
  /** The address of a PostgreSQL database; SQLite without it. */
  database?: string | undefined
}

export async function runRetries({ keys, kills, database }: RetrySize): Promise<RetryReport> {
  const report: RetryReport = { sent: 0, replayed: 0, lost: 0 }
  await withServer(database, async (house) => {
    let next = 0
    const work = async () => {
      while (next < keys) await sendUntilAnswered(house, next++, report)
    }
    const working = Promise.all(Array.from({ length: workers }, work))
    for (let kill = 1; kill <= kills; kill++) {
      while (next < (keys * kill) / (kills + 1)) await pause(2)
      await house.restart()
    }
    await working
    const numbers = await allNumbers(house.address)
    assert.equal(numbers.length, keys, 'each key has one effect')
    assert.equal(new Set(numbers).size, keys)
  })
  return report
}

/** Three in ten are aborted early, whatever the server has done by then. */
async function sendUntilAnswered(house: RestartableServer, number: number, report: RetryReport): Promise<void> {
  for (;;) {
    const cut = Math.random() < 0.3 ? AbortSignal.timeout(Math.ceil(Math.random() * 8)) : null
    report.sent++
    try {
      const reply = await fetch(`${house.address}/entries`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': `key-${number}` },
        body: JSON.stringify({ number }),
        signal: cut,
      })
      const text = await reply.text()
      if (reply.status === 201) {
        if (reply.headers.get('idempotent-replayed') === 'true') report.replayed++
        return
      }
      // Still in progress, or the server is about to stop.
      assert.ok(reply.status === 409 || reply.status === 503, `${reply.status} ${text}`)
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      report.lost++
    }
    await pause(Math.random() * 20)
  }
}

async function allNumbers(address: string): Promise<number[]> {
  const reply = await fetch(`${address}/entries?fields=number`, { headers: { accept: 'application/x-ndjson' } })
  const lines = (await reply.text()).split('\n').filter((line) => line !== '')
  return lines.map((line) => (JSON.parse(line) as { number: number }).number)
}

export interface RaceSize {
  clients: number
  rounds: number
  database?: string | undefined
}

/** The number of refused updates: all but one of each round. */
export async function runRaces({ clients, rounds, database }: RaceSize): Promise<number> {
  let refused = 0
  await withServer(database, async ({ address }) => {
    const path = `${address}/entries/one`
    const headers = { 'content-type': 'application/json' }
    await fetch(path, { method: 'PUT', headers, body: JSON.stringify({ number: 0 }) })
    for (let round = 1; round <= rounds; round++) {
      const write = async (client: number) => {
        const body = JSON.stringify({ number: round * clients + client })
        const reply = await fetch(path, { method: 'PATCH', headers: { ...headers, 'if-match': `"${round}"` }, body })
        await reply.arrayBuffer()
        return reply.status
      }
      const statuses = await Promise.all(Array.from({ length: clients }, (_, client) => write(client)))
      assert.equal(statuses.filter((status) => status === 200).length, 1, `round ${round}: ${statuses}`)
      assert.equal(statuses.filter((status) => status === 412).length, clients - 1)
      refused += clients - 1
    }
  })
  return refused
}

/** A server that can be killed and starts again, on another port. */
interface RestartableServer {
  readonly address: string
  restart(): Promise<void>
}

async function withServer(
  database: string | undefined,
  use: (house: RestartableServer) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'twain-retries-'))
  const schemaFile = join(folder, 'schema.graphql')
  await writeFile(schemaFile, sdl)
  const start = () =>
    ServerProcess.start(schemaFile, join(folder, 'data'), database === undefined ? [] : ['--database', database])
  let server = await start()
  try {
    await use({
      get address() {
        return server.address
      },
      async restart() {
        await server.kill()
        server = await start()
      },
    })
  } finally {
    await server.stop()
    await rm(folder, { recursive: true })
  }
}
