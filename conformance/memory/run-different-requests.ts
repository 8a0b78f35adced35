// Sends requests that are all different: GraphQL documents, a few of them as large as the limits allow, and REST queries. The
// server caches what it compiles from them, so its memory must not grow with their number.

import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { ServerProcess } from '../harness/server-process.ts'

const sdl = `
type Note @allow(to: [READ]) @allow(role: "admin") {
  id: ID!
  title: String!
  text: String
  number: Int
  rating: Float
  open: Boolean
  at: DateTime
  owner: Owner
}
type Owner @allow(to: [READ]) @allow(role: "admin") { id: ID! name: String! notes: [Note!]! }
`

export interface MemoryUse {
  /** The most that the server ever had, in MB. */
  server: number
  /** The most of a connection's process in PostgreSQL, without shared memory, in MB; 0 on SQLite. */
  backend: number
  statuses: Record<number, number>
}

/** `heap` is the size of the server's heap, in MB. */
export async function runDifferentRequests(documents: number, queries: number, heap: number): Promise<MemoryUse> {
  const folder = await mkdtemp(join(tmpdir(), 'twain-different-'))
  const schemaFile = join(folder, 'schema.graphql')
  await writeFile(schemaFile, sdl)
  const database = testedStore === 'postgres' ? await makeTestDatabase() : null
  const store = database === null ? [] : ['--database', database.address]
  const server = await ServerProcess.start(
    schemaFile,
    join(folder, 'data'),
    [...store, '--log-requests', 'false'],
    undefined,
    {
      NODE_OPTIONS: `--max-old-space-size=${heap}`,
    },
  )
  let backend = 0
  const look = setInterval(async () => {
    const rows = database === null ? [] : await database.raw.query<{ pid: number }>(selectProcesses)
    for (const { pid } of rows) backend = Math.max(backend, megabytesOf(pid, 'RssAnon'))
  }, 500)
  try {
    const statuses: Record<number, number> = {}
    const count = (status: number) => {
      statuses[status] = (statuses[status] ?? 0) + 1
    }
    await inParallel(documents, async (n) => count(await post(server, { query: documentOf(n) })))
    await inParallel(queries, async (n) => count(await get(server, queryOf(n))))
    return { server: megabytesOf(server.pid, 'VmHWM'), backend, statuses }
  } finally {
    clearInterval(look)
    await server.stop()
    await database?.drop()
    await rm(folder, { recursive: true, force: true })
  }
}

const selectProcesses = `SELECT pid FROM pg_stat_activity WHERE application_name = 'twain'`

const fields = ['id', 'title', 'text', 'number', 'rating', 'open', 'at']

/** Every 20th has as many fields as its cost allows. */
function documentOf(n: number): string {
  const size = n % 20 === 0 ? 640 : 5 + (n % 30)
  const selected = Array.from({ length: size }, (_, index) => `x${n}_${index}: ${fields[index % fields.length]}`)
  return n % 2 === 0 || size > 90
    ? `{ note(id: "none") { ${selected.join(' ')} } }`
    : `{ notes(limit: 1) { ${selected.join(' ')} } }`
}

/** A permutation of fields, an order and filters: each number gives another shape. */
function queryOf(n: number): string {
  let rest = n
  const left = [...fields]
  const chosen: string[] = []
  while (left.length > 0) {
    chosen.push(...left.splice(rest % left.length, 1))
    rest = Math.floor(rest / (left.length + 1))
  }
  const operators = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte']
  const filter = `number[${operators[rest % 6]}]=1&rating[${operators[Math.floor(rest / 6) % 6]}]=2`
  return `/notes?fields=${chosen.join()},owner.name&sort=${chosen[0]}&${filter}&limit=1`
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 })

function post(server: ServerProcess, body: unknown): Promise<number> {
  return send(`${server.address}/graphql`, 'POST', JSON.stringify(body))
}

function get(server: ServerProcess, path: string): Promise<number> {
  return send(`${server.address}${path}`, 'GET', null)
}

function send(url: string, method: string, body: string | null): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent, headers: { 'content-type': 'application/json' } }, (reply) => {
      reply.resume()
      reply.on('end', () => resolve(reply.statusCode ?? 0))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function inParallel(count: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0
  const run = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: 8 }, run))
}

/** As Linux counts it; 0 elsewhere, or when it has ended. */
function megabytesOf(pid: number, kind: 'VmHWM' | 'RssAnon'): number {
  try {
    const [, kilobytes = '0'] = new RegExp(`${kind}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Math.round(Number(kilobytes) / 1024)
  } catch {
    return 0
  }
}
