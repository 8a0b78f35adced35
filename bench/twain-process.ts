// The real command, `twain start`, on a folder with the rows of the benchmark, with its defaults: a log entry for each
// request and every limit on. Only the rate limit is higher than the load reaches, so that Twain counts requests but never
// refuses one.

import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { plainRequest } from '../packages/twain/src/base/http/index.ts'
import { openService, type Service } from '../packages/twain/src/main/index.ts'
import { defaultLimits } from '../packages/twain/src/plan/index.ts'
import { freePort } from '../scripts/free-port.ts'
import { comments, posts, users } from './data.ts'
import { MeasuredProcess } from './measured-process.ts'

export const schemaFile = join(import.meta.dirname, 'schema.graphql')
/** The command of the sources. */
export const sourceCommand = join(import.meta.dirname, '../packages/twain/bin/twain.js')
const silent = { info() {}, warn() {}, error() {} }

/** The load repeats the same few requests. The baseline runs its statement each time, so Twain does too. */
export const withoutResultCache = ['--limits-result-cache-bytes', '0']

export interface Started {
  process: MeasuredProcess
  port: number
  /** Milliseconds from the start of the process to its first response with rows. */
  firstAnswer: number
}

interface TwainCommand {
  /** The module of the command. Default: that of the sources. */
  command?: string
  nodeFlags?: string[]
}

/** `more` are flags of the command. */
export async function startTwain(
  data: string,
  schema = schemaFile,
  more: string[] = [],
  { command = sourceCommand, nodeFlags = [] }: TwainCommand = {},
): Promise<Started> {
  const port = await freePort()
  const began = performance.now()
  const args = [
    'start',
    schema,
    '--data',
    data,
    '--port',
    String(port),
    '--limits-requests-per-minute',
    '1000000000',
    ...more,
  ]
  const server = new MeasuredProcess(command, args, nodeFlags)
  for (;;) {
    const reply = await fetch(`http://127.0.0.1:${port}/users?limit=1`).catch(() => null)
    if (reply?.status === 200 && ((await reply.json()) as unknown[]).length === 1) {
      return { process: server, port, firstAnswer: performance.now() - began }
    }
    if (server.ended || performance.now() - began > 60_000) throw new Error(`twain does not start:\n${server.said}`)
    await pause(5)
  }
}

/** Twain would refuse more waiting writes. */
const together = 500

/** Writes the rows with the ids of the benchmark: a PUT may choose them. */
export async function fillTwain(
  data: string,
  schema = schemaFile,
  shape = (row: { id: string }): object => row,
  database: string | null = null,
  tables: Record<string, { id: string }[]> = { users, posts, comments },
): Promise<void> {
  const service = await openService({ schemaFile: schema, data, database, limits: defaultLimits, log: silent })
  for (const [path, rows] of Object.entries(tables)) {
    for (let at = 0; at < rows.length; at += together) {
      await Promise.all(rows.slice(at, at + together).map((row) => put(service, `/${path}/${row.id}`, shape(row))))
    }
  }
  await service.close()
}

async function put(service: Service, path: string, row: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const reply = await service.handleAsSystem(plainRequest('PUT', path, { headers, body: JSON.stringify(row) }))
  if (reply.status !== 201) throw new Error(`PUT ${path}: ${reply.status} ${reply.body}`)
}
