// `npm run bench -- --database postgres`: CPU time of Node per request on PostgreSQL, compared with a baseline and with
// graphql-js, both with the driver that opens Twain's connections. It also compares two nodes on one database with one.
//
// Two nodes can't be twice as fast where the database and the load share two cores with them: then the machine is the limit.
// So each node is limited to a small share of a core (it is stopped for the rest of every 40 ms). This leaves enough for the
// database and the load, as if each node had its own machine. A second measurement without limits shows whether a request
// costs a node more when there is another.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type Case, cases } from './cases.ts'
import { MeasuredProcess } from './measured-process.ts'
import { openPgPool } from './pg-pool.ts'
import { parentOf } from './process-times.ts'
import { costOf, measurePeer, measureReads, median, type ReadResult, type Server } from './reads.ts'
import { fillTwain, schemaFile, startTwain } from './twain-process.ts'

export interface NodesResult {
  name: string
  cores: number
  /** Medians: µs of CPU time of a node per request, and requests per second. */
  one: Figures
  two: Figures
  /** How much more a request costs a node when there is another. */
  growth: number
  /** Each node with this share of a core. `byCpu` is the gain for equal CPU time of each node. It is valid also where
   *  other load keeps a node from its share. */
  held: { share: number; one: Figures; two: Figures; gain: number; byCpu: number }
}

interface Figures {
  cost: number
  throughput: number
}

export interface PostgresOutcome {
  reads: ReadResult[]
  /** Compared with graphql-js and DataLoader; higher is better. */
  peer: ReadResult
  nodes: NodesResult[]
}

export async function measurePostgres(folder: string): Promise<PostgresOutcome> {
  const server = await startServer()
  try {
    const { address } = server
    await fillTwain(folder, schemaFile, undefined, address)
    const start = () => startTwain(folder, schemaFile, ['--database', address])
    const baseline = new MeasuredProcess(join(import.meta.dirname, 'postgres-baseline.ts'), [address])
    const first = await start()
    const reads = await measureReads(first, { process: baseline, port: await baseline.port() })
    await baseline.stop()
    const graphqlJs = new MeasuredProcess(join(import.meta.dirname, 'postgres-graphql-js.ts'), [address])
    const peer = await measurePeer(first, { process: graphqlJs, port: await graphqlJs.port() })
    await graphqlJs.stop()
    const second = await start()
    const nodes = await measureNodes([first, second])
    await Promise.all([first.process.stop(), second.process.stop()])
    return { reads, peer, nodes }
  } finally {
    await server.stop()
  }
}

/** `--durable` and `--autovacuum`: as in production. Else fast, with data in memory. */
export async function startServer(flags: readonly string[] = []): Promise<{ address: string; stop(): Promise<void> }> {
  const script = join(import.meta.dirname, '../scripts/postgres.ts')
  const child = spawn(process.execPath, [script, ...flags], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [address] = await once(child.stdout, 'data')
  const stop = async () => {
    const ended = once(child, 'exit')
    child.stdin.end()
    await ended
  }
  return { address: String(address).trim(), stop }
}

/** The main process of the server, on this machine. */
export async function postmasterOf(address: string): Promise<number> {
  const pool = openPgPool(address)
  const [backend] = await pool.rows<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const postmaster = parentOf(backend!.pid)
  await pool.end()
  return postmaster
}

/** The tables of all servers alike, as autovacuum would do minutes after the import. */
export async function analyse(addresses: readonly string[]): Promise<void> {
  for (const address of addresses) {
    const pool = openPgPool(address)
    await pool.rows('VACUUM ANALYZE')
    await pool.end()
  }
}

const rounds = 5
const roundTime = 800

/** One load process for each node, as each would have its own clients; rounds alternate. */
async function measureNodes(servers: [Server, Server]): Promise<NodesResult[]> {
  const loads = servers.map(() => new MeasuredProcess(join(import.meta.dirname, 'load.ts'), []))
  const results: NodesResult[] = []
  for (const each of cases.slice(0, 2)) {
    const ask = (count: number) => round(each, servers.slice(0, count), loads)
    await ask(2)
    const [ones, twos]: [Figures[], Figures[]] = [[], []]
    for (let turn = 0; turn < rounds; turn++) {
      ones.push(await ask(1))
      twos.push(await ask(2))
    }
    const growth = median(twos.map(({ cost }, turn) => cost / ones[turn]!.cost))
    const held = await measureHeld(servers, ask)
    results.push({ name: each.name, cores: availableParallelism(), one: middle(ones), two: middle(twos), growth, held })
  }
  await Promise.all(loads.map((load) => load.stop()))
  return results
}

/** Small enough that the nodes never wait for the machine. */
const share = 0.15

async function measureHeld(servers: Server[], ask: (count: number) => Promise<Figures>): Promise<NodesResult['held']> {
  const releases = servers.map((server) => server.process.holdTo(share))
  const [ones, twos]: [Figures[], Figures[]] = [[], []]
  try {
    for (let turn = 0; turn < rounds; turn++) {
      ones.push(await ask(1))
      twos.push(await ask(2))
    }
  } finally {
    for (const release of releases) release()
  }
  const gain = median(twos.map(({ throughput }, turn) => throughput / ones[turn]!.throughput))
  const byCpu = median(twos.map(({ cost }, turn) => (2 * ones[turn]!.cost) / cost))
  return { share, one: middle(ones), two: middle(twos), gain, byCpu }
}

async function round(each: Case, servers: Server[], loads: MeasuredProcess[]): Promise<Figures> {
  const all = await Promise.all(servers.map((server, index) => costOf(server, loads[index]!, each, roundTime)))
  const answers = all.reduce((sum, one) => sum + one.answers, 0)
  const cpu = all.reduce((sum, one) => sum + one.cpu, 0)
  return { cost: cpu / answers, throughput: (answers / roundTime) * 1000 }
}

function middle(figures: Figures[]): Figures {
  return {
    cost: median(figures.map(({ cost }) => cost)),
    throughput: median(figures.map(({ throughput }) => throughput)),
  }
}
