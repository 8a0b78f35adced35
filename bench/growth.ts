// `npm run bench -- growth`: indexed work costs the same in a table of 2,000,000 rows (`ROWS=200000` for fewer) as in one of 20,000. CPU time of the
// server, and of PostgreSQL with `--database postgres`, for random rows, pages, counts and searches. `twain import` loads the rows.

import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { promisify } from 'node:util'
import type { RawRequest } from './cases.ts'
import type { LoadOrder } from './load.ts'
import { MeasuredProcess } from './measured-process.ts'
import { analyse, postmasterOf, startServer } from './postgres.ts'
import { usageOfTree } from './process-times.ts'
import { median } from './reads.ts'
import { printTable, type ReportRow } from './table.ts'
import { sourceCommand, startTwain, withoutResultCache } from './twain-process.ts'

const run = promisify(execFile)
const small = 20_000
const postsOfUser = 20
const maxGrowth = 1.2
const rounds = 9
/** The compiler is not idle earlier. */
const warmUpRounds = 4
const answers = 1500
/** PostgreSQL's memory for pages: all rows fit. */
const buffers = '2GB'

const sdl = `
type User @allow { id: ID! name: String! posts: [Post!]! }
enum Status { DRAFT PUBLISHED }
type Post @allow {
  id: ID! title: String! @search status: Status! @index(with: ["publishedAt"]) publishedAt: DateTime! @index author: User!
}`

/** One document: the number of different ones grows with the rows, too, where ids are part of them. */
const listQuery =
  'query ($id: ID!) { user(id: $id) { postsConnection(first: 10) { totalCount edges { node { id title } } } } }'

/** A request for a place between 0 and 1 of all rows. */
const requests: Record<string, (place: number, rows: number) => RawRequest> = {
  'row by id': (place, rows) => get(`/posts/${idOf('p', Math.floor(place * rows))}`),
  'page by time, before a moment': (place, rows) =>
    get(`/posts?publishedAt[lt]=${momentOf(Math.floor(place * rows))}&sort=-publishedAt&first=20`),
  'page with a filter': (place, rows) =>
    get(`/posts?status=PUBLISHED&publishedAt[lt]=${momentOf(Math.floor(place * rows))}&sort=-publishedAt&limit=20`),
  'list of a row, and its total': (place, rows) => graphql(listQuery, { id: userOf(Math.floor(place * rows), rows) }),
  'search for a word of 20 rows': (place, rows) =>
    get(`/posts?search=${wordOf(Math.floor(place * rows), rows)}&limit=20`),
}

export async function measureGrowth(folder: string, onPostgres: boolean): Promise<string> {
  const large = Number(process.env.ROWS ?? 2_000_000)
  const load = new MeasuredProcess(join(import.meta.dirname, 'load.ts'), [])
  const opened: OpenedRows[] = []
  try {
    for (const rows of [small, large]) opened.push(await openRows(join(folder, String(rows)), rows, onPostgres))
    const lines: ReportRow[] = []
    for (const [name, requestOf] of Object.entries(requests)) {
      const [few, many] = await measureInTurn(opened, requestOf, load)
      lines.push(row(name, few!, many!, large))
    }
    return printTable(lines)
  } finally {
    await load.stop()
    for (const { stop } of opened) await stop()
  }
}

/** In alternating rounds, so that other load on the machine affects all alike. */
async function measureInTurn(
  opened: readonly OpenedRows[],
  requestOf: (place: number, rows: number) => RawRequest,
  load: MeasuredProcess,
): Promise<number[]> {
  const servers = opened.map(({ twain, rows, postmaster }) => {
    const all = Array.from({ length: answers }, () => requestOf(Math.random(), rows))
    const connection = { port: twain.port, authorization: null, connections: 8 }
    const order: LoadOrder = { ...connection, requests: all, milliseconds: 60_000, answers }
    const used = () => usageOfTree(twain.process.pid).cpu + (postmaster === null ? 0 : usageOfTree(postmaster).cpu)
    return { used, order, costs: [] as number[] }
  })
  for (let round = 0; round < warmUpRounds + rounds; round++) {
    for (const { used, order, costs } of servers) {
      const before = used()
      const done = await load.carryOut(order)
      if (round >= warmUpRounds) costs.push((used() - before) / done.answers)
    }
  }
  return servers.map(({ costs }) => median(costs))
}

interface OpenedRows {
  rows: number
  twain: Awaited<ReturnType<typeof startTwain>>
  /** The main process of its PostgreSQL server. */
  postmaster: number | null
  stop(): Promise<void>
}

async function openRows(folder: string, rows: number, onPostgres: boolean): Promise<OpenedRows> {
  const server = onPostgres ? await startServer([`--buffers=${buffers}`]) : null
  mkdirSync(folder)
  const schema = join(folder, 'schema.graphql')
  writeFileSync(schema, sdl)
  const place = server === null ? [] : ['--database', server.address]
  const data = join(folder, 'data')
  const users = rows / postsOfUser
  await importLines('User', users, 'id,name', (n) => `${idOf('u', n)},User ${n}`)
  await importLines('Post', rows, 'id,title,status,publishedAt,author', (n) =>
    [
      idOf('p', n),
      `About ${wordOf(n, rows)}`,
      n % 4 === 0 ? 'DRAFT' : 'PUBLISHED',
      momentOf(n),
      userOf(n, rows),
    ].join(),
  )
  if (server !== null) await analyse([server.address])
  const twain = await startTwain(data, schema, [...withoutResultCache, ...place])
  const stop = async () => {
    await twain.process.stop()
    await server?.stop()
  }
  return { rows, twain, postmaster: server === null ? null : await postmasterOf(server.address), stop }

  async function importLines(type: string, count: number, head: string, line: (n: number) => string): Promise<void> {
    const file = join(folder, `${type}.csv`)
    const stream = createWriteStream(file)
    stream.write(`${head}\n`)
    for (let n = 0; n < count; n++) if (!stream.write(`${line(n)}\n`)) await once(stream, 'drain')
    stream.end()
    await finished(stream)
    const flags = ['import', file, '--type', type, '--keep-ids', '--schema', schema, '--data', data, ...place]
    await run(process.execPath, [sourceCommand, ...flags], { maxBuffer: 1e8 })
  }
}

function idOf(letter: string, n: number): string {
  return letter + String(n).padStart(8, '0')
}

function userOf(n: number, rows: number): string {
  return idOf('u', n % (rows / postsOfUser))
}

/** One word for 20 rows. */
function wordOf(n: number, rows: number): string {
  return `w${String(n % (rows / postsOfUser)).padStart(7, '0')}`
}

function momentOf(n: number): string {
  return new Date(Date.UTC(2020, 0, 1) + n * 60_000).toISOString()
}

function get(path: string): RawRequest {
  return { method: 'GET', path, body: null }
}

function graphql(query: string, variables: object): RawRequest {
  return { method: 'POST', path: '/graphql', body: JSON.stringify({ query, variables }) }
}

function row(name: string, few: number, many: number, rows: number): ReportRow {
  const ratio = many / few
  return {
    what: `${name}, ${rows} rows`,
    twain: `${many.toFixed(0)} µs`,
    comparedWith: `${small} rows ${few.toFixed(0)} µs`,
    figure: `${ratio.toFixed(2)} ×`,
    target: `≤ ${maxGrowth} ×`,
    met: ratio <= maxGrowth,
  }
}
