// Twain beside servers that a team would write by hand with Fastify and Mercurius, and beside the floor, on one database. Random rows and
// pages, creates, both mixed, then repeated requests; 32 connections, durable commits, the same answers. Twain has a heap of 256 MB
// and no result cache, except for the repeated requests. The packages of the servers are not among those of the repository:
// `npm ci --prefix bench/by-hand` installs them.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { RawRequest } from '../cases.ts'
import type { LoadOrder } from '../load.ts'
import { MeasuredProcess } from '../measured-process.ts'
import { openPgPool } from '../pg-pool.ts'
import { analyse, postmasterOf, startServer } from '../postgres.ts'
import { usageOfTree } from '../process-times.ts'
import { median } from '../reads.ts'
import { type Comparison, chooseComparisons } from './requests.ts'
import { answerOf, type Name, names, openTwainTarget, startTargets, type Target } from './targets.ts'

export interface Figures {
  perSecond: number
  p99: number
  /** µs of CPU time for a request. */
  server: number
  database: number
}

export interface ByHandRow extends Pick<Comparison, 'name' | 'peer' | 'targets' | 'kind'> {
  figures: Partial<Record<Name, Figures>>
}

export interface ByHandOutcome {
  rows: ByHandRow[]
  /** Resident MB after all requests. */
  memory: Record<Name, number>
  onPostgres: boolean
}

const connections = 32
const rounds = 5
const roundTime = 1300
/** A server is warm when this many rounds in a row brought no better time. On two cores the compiler of V8 competes with the database and the load:
 *  in creates of Twain the CPU time of a request falls for ten seconds, to a third. */
const roundsWithoutGain = 4
const maxWarmUpRounds = 16

/** `command` is that of the package as it is published. */
export async function compareByHand(
  folder: string,
  onPostgres: boolean,
  command: string,
  only = '',
): Promise<ByHandOutcome> {
  const chosen = chooseComparisons(only)
  if (!existsSync(join(import.meta.dirname, 'node_modules')))
    throw new Error('The servers by hand are not installed. Run: npm ci --prefix bench/by-hand')
  const databases = onPostgres ? await startDatabases(names) : null
  try {
    const targets = await startTargets(folder, databases?.addresses ?? null, command)
    if (databases !== null) await analyse(Object.values(databases.addresses))
    const postmaster = databases?.postmaster ?? null
    const isRepeated = ({ kind }: Comparison) => kind === 'repeated'
    const others = chosen.filter((comparison) => !isRepeated(comparison))
    const rows = await compareTargets(others, targets, postmaster)
    const memory = Object.fromEntries(
      targets.map(({ name, process }) => [name, usageOfTree(process.pid).memory / 1e6]),
    ) as Record<Name, number>
    const repeated = chosen.filter(isRepeated)
    if (repeated.length > 0) {
      await targets[0]!.process.stop()
      targets[0] = await openTwainTarget(folder, databases?.addresses.twain ?? null, command, [])
      rows.push(...(await compareTargets(repeated, targets, postmaster)))
    }
    for (const { process } of targets) await process.stop()
    return { rows, memory, onPostgres }
  } finally {
    await databases?.stop()
  }
}

/** One server, with a database for each target: data on disk, each commit synced, tables analysed and cleaned. */
export async function startDatabases<Key extends string>(names: readonly Key[]) {
  const server = await startServer(['--durable', '--autovacuum'])
  const pool = openPgPool(server.address)
  const addresses = {} as Record<Key, string>
  for (const name of names) {
    await pool.rows(`CREATE DATABASE bench_${name}`)
    const address = new URL(server.address)
    address.pathname = `/bench_${name}`
    addresses[name] = address.href
  }
  await pool.end()
  return { addresses, postmaster: await postmasterOf(server.address), stop: server.stop }
}

async function compareTargets(
  chosen: readonly Comparison[],
  targets: Target[],
  postmaster: number | null,
): Promise<ByHandRow[]> {
  const load = new MeasuredProcess(join(import.meta.dirname, '../load.ts'), [])
  const rows: ByHandRow[] = []
  const all = chosen.map((comparison) => {
    const some = targets.filter(({ name }) => name === 'twain' || name === 'floor' || name === comparison.peer)
    return { comparison, requests: new Map(some.map((target) => [target, comparison.requests(target.cursors)])) }
  })
  // Before the load, and reads before creates, because the servers create different rows.
  for (const { comparison, requests } of all)
    if (comparison.kind === 'random') await expectSameAnswers(comparison, requests)
  for (const { comparison, requests } of all) {
    console.error(`${postmaster === null ? 'SQLite' : 'PostgreSQL'}: ${comparison.name}`)
    await warmUp([...requests.keys()], (target) => measure(target, requests.get(target)!, load, postmaster))
    const measured = new Map([...requests.keys()].map((target) => [target, [] as Figures[]]))
    for (let round = 0; round < rounds; round++) {
      for (const [target, each] of requests) {
        measured.get(target)!.push(await measure(target, each, load, postmaster))
      }
    }
    rows.push({
      name: comparison.name,
      kind: comparison.kind,
      peer: comparison.peer,
      targets: comparison.targets,
      figures: Object.fromEntries([...measured].map(([{ name }, figures]) => [name, middle(figures)])),
    })
  }
  await load.stop()
  return rows
}

/** In turn, until all servers are warm: V8 drops the code of functions that it has not run for a minute or two, and compiles it again for
 *  seven seconds of load. */
export async function warmUp<Server>(
  servers: readonly Server[],
  round: (server: Server) => Promise<Figures>,
): Promise<void> {
  const states = servers.map((one) => ({ one, best: Number.POSITIVE_INFINITY, since: 0 }))
  for (let done = 0; done < maxWarmUpRounds && states.some(({ since }) => since < roundsWithoutGain); done++)
    for (const state of states) {
      const { server } = await round(state.one)
      state.since = server < state.best * 0.97 ? 0 : state.since + 1
      state.best = Math.min(state.best, server)
    }
}

export async function measure(
  target: Target,
  requests: RawRequest[],
  load: MeasuredProcess,
  postmaster: number | null,
): Promise<Figures> {
  const order: LoadOrder = { port: target.port, requests, authorization: null, connections, milliseconds: roundTime }
  const used = () => [target.process.pid, postmaster].map((pid) => (pid === null ? 0 : usageOfTree(pid).cpu))
  const before = used()
  const { answers, p99 } = await load.carryOut(order).catch((error) => {
    throw new Error(`${target.name}, with ${requests[0]!.path}:\n${target.process.said.slice(-2000)}`, { cause: error })
  })
  const [server, database] = used().map((cpu, index) => (cpu - before[index]!) / answers)
  return { perSecond: (answers / roundTime) * 1000, p99, server: server!, database: database! }
}

export function middle(figures: Figures[]): Figures {
  const of = (key: keyof Figures) => median(figures.map((each) => each[key]))
  return { perSecond: of('perSecond'), p99: of('p99'), server: of('server'), database: of('database') }
}

/** Cursors and the ids of new rows differ; all else must be the same. */
async function expectSameAnswers({ name }: Comparison, requests: Map<Target, RawRequest[]>): Promise<void> {
  for (let index = 0; index < 10; index++) {
    const answers = await Promise.all(
      [...requests].map(async ([target, all]) => JSON.parse(await answerOf(target, all[index]!), withoutOwn)),
    )
    for (const answer of answers) {
      if (!isDeepStrictEqual(answer, answers[0]))
        throw new Error(
          `${name}: the responses differ.\n${answers.map((each) => JSON.stringify(each).slice(0, 300)).join('\n')}`,
        )
    }
  }
}

const newId = /^[0-9a-f]{8}-[0-9a-f]{4}-/

function withoutOwn(key: string, value: unknown): unknown {
  const isOwn = key === 'endCursor' || (key === 'id' && typeof value === 'string' && newId.test(value))
  return isOwn ? undefined : value
}
