// Clients request large pages on many connections, several at once on each, and read nothing. The server has a small heap. Others measure
// what they wait for: the CPU time that the server's main thread spends between a request and its answer, which a busy machine
// does not change.

import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ServerProcess } from '../harness/server-process.ts'

export interface UnreadPages {
  /** Megabytes. */
  heap: number
  connections: number
  /** Requests at once on each connection. */
  pipelined: number
  /** Of a page of 100 rows, in megabytes. */
  pageMegabytes: number
  encoding: string | null
  /** Null: SQLite. */
  database: string | null
}

export interface UnreadPagesOutcome {
  /** What the server printed before it died; null: it lives. */
  death: string | null
  /** CPU milliseconds of the main thread during the slowest request of others. */
  worstStallMs: number
  /** The same by the clock. */
  worstWaitMs: number
  /** Requests of others that got no answer, or a wrong one. */
  failed: number
  asked: number
  peakMegabytes: number
}

const rows = 100
const path = `/items?limit=${rows}`
/** Linux has these addresses without configuration. Limits and turns count clients by address. */
const attacker = '127.0.0.3'
const visitor = '127.0.0.2'

export async function runUnreadPages(options: UnreadPages): Promise<UnreadPagesOutcome> {
  const { heap, connections, pipelined, pageMegabytes, encoding, database } = options
  const folder = mkdtempSync(join(tmpdir(), 'twain-unread-'))
  const schemaFile = join(folder, 'schema.graphql')
  writeFileSync(schemaFile, 'type Item @allow { id: ID! body: String! }')
  const env = {
    NODE_OPTIONS: `--max-old-space-size=${heap}`,
    ...(database === null ? {} : { TWAIN_DATABASE: database }),
  }
  const server = await ServerProcess.start(
    schemaFile,
    join(folder, 'data'),
    ['--log-requests', 'false'],
    undefined,
    env,
  )
  const sockets: Socket[] = []
  try {
    const port = Number(new URL(server.address).port)
    for (let n = 0; n < rows; n++) {
      const sent = await ask(port, 'PUT', `/items/i${n}`, { body: 'y'.repeat(pageMegabytes * 10_000) })
      if (sent.status !== 201) throw new Error(`${sent.status} ${sent.body.slice(0, 200)}`)
    }
    const accepts = encoding === null ? '' : `accept-encoding: ${encoding}\r\n`
    const volley = `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${accepts}\r\n`.repeat(pipelined)
    for (let n = 0; n < connections; n++) {
      const socket = connect({ port, host: '127.0.0.1', localAddress: attacker }).on('error', () => {})
      socket.pause()
      socket.once('connect', () => socket.write(volley))
      sockets.push(socket)
    }
    return await visit(server, port)
  } finally {
    for (const socket of sockets) socket.destroy()
    await server.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Until the server has done all it does for the clients that do not read. */
async function visit(server: ServerProcess, port: number): Promise<UnreadPagesOutcome> {
  const outcome: UnreadPagesOutcome = {
    death: null,
    worstStallMs: 0,
    worstWaitMs: 0,
    failed: 0,
    asked: 0,
    peakMegabytes: 0,
  }
  let handled = -1
  for (let quiet = 0, n = 0; quiet < 5; n++) {
    const kinds = [
      ['GET', '/healthz', null, 200],
      ['GET', '/items/i0?fields=id', null, 200],
      ['PUT', `/items/n${n}`, { body: 'n' }, 201],
      ['GET', '/metrics', null, 200],
    ] as const
    for (const [method, target, body, status] of kinds) {
      const began = performance.now()
      const before = mainThreadMs(server.pid)
      const reply = await ask(port, method, target, body).catch((error: Error) => ({ status: 0, body: error.message }))
      outcome.asked++
      if (reply.status !== status) outcome.failed++
      const after = mainThreadMs(server.pid)
      if (before === null || after === null) return { ...outcome, death: server.output.slice(-600) }
      outcome.worstStallMs = Math.max(outcome.worstStallMs, Math.round(after - before))
      outcome.worstWaitMs = Math.max(outcome.worstWaitMs, Math.round(performance.now() - began))
      outcome.peakMegabytes = Math.max(outcome.peakMegabytes, residentMegabytes(server.pid))
      if (target !== '/metrics') continue
      const total = [...reply.body.matchAll(/^twain_http_requests_total\{.*\} (\d+)$/gm)].reduce(
        (sum, [, n]) => sum + Number(n),
        0,
      )
      quiet = total - handled === kinds.length ? quiet + 1 : 0
      handled = total
    }
  }
  return outcome
}

async function ask(port: number, method: string, path: string, body: object | null = null) {
  const headers = body === null ? {} : { 'content-type': 'application/json' }
  const sent = request({ host: '127.0.0.1', port, localAddress: visitor, method, path, headers, agent: false })
  sent.end(body === null ? undefined : JSON.stringify(body))
  const [reply] = await once(sent, 'response')
  return { status: reply.statusCode as number, body: await text(reply) }
}

/** Null: the process has ended. */
function mainThreadMs(pid: number): number | null {
  const [nanoseconds = ''] = readProc(`/proc/${pid}/task/${pid}/schedstat`).split(' ')
  return nanoseconds === '' ? null : Number(nanoseconds) / 1e6
}

function residentMegabytes(pid: number): number {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readProc(`/proc/${pid}/status`))?.[1] ?? 0) / 1024)
}

function readProc(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
