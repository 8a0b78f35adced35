// `npm run soak -- hot-row=20`: so many rounds of 64 clients that write one row, in turn on this server and on one without row locks and
// limits of waits (`mutants/lock-mutants.ts`). It compares the CPU time of a write, that of PostgreSQL included, in the best round of each:
// other work on the machine adds to the others.
// stores: postgres

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { postmasterOf } from '../../bench/postgres.ts'
import { usageOfTree } from '../../bench/process-times.ts'
import { makePreparedDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { lockless } from '../faults/mutants/lock-mutants.ts'
import { ServerProcess } from '../harness/server-process.ts'

const rounds = Number(process.argv[2] ?? 20)
const clients = 64
const perClient = 5
/** A batch needs one statement more, for its locks. */
const maxRatio = 1.3

const sdl = `type Account @allow { id: ID! n: Int! }
extend type Mutation { bump(id: ID!): Boolean @allow }`
const code = `export default { resolvers: { Mutation: { bump: ({ id }, { transaction }) => transaction(async ({ read, write }) => {
  const { n } = await read.Account.get(id)
  await write.Account.update(id, { n: n + 1 })
}) } } }`

interface Row {
  id: string
}

type Request = [method: string, path: string, body: unknown]

const increment = { _increment: { n: 1 } }
const patch = ({ id }: Row): Request => ['PATCH', `/accounts/${id}`, increment]
const inBatch = ([method, path, body]: Request) => ({ method, path, body })

const ways: Record<string, { code: string | null; write(hot: Row, own: Row): Request }> = {
  PATCH: { code: null, write: patch },
  'batch with a row of its own': {
    code: null,
    write: (hot, own) => ['POST', '/batch', [inBatch(patch(own)), inBatch(patch(hot))]],
  },
  'transaction of custom code': { code, write: ({ id }) => ['POST', '/bump-requests', { id }] },
}

/** A server, with a row for each client. All of them write the first. */
interface Side {
  address: string
  rows: Row[]
  /** µs of CPU time so far. */
  cpuTime(): number
  perSecond: number[]
  cpu: number[]
  close(): Promise<void>
}

const loader = pathToFileURL(join(import.meta.dirname, '../faults/mutants/mutate-source.ts')).href
const withoutLocks = { NODE_OPTIONS: `--import ${loader}`, TWAIN_MUTANT: lockless.name }
let isSlower = false
for (const [way, { code: config, write }] of Object.entries(ways)) {
  const sides = [await start(config, {}), await start(config, withoutLocks)]
  for (let round = -1; round < rounds; round++)
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) await measure(side, write, round < 0)
  const [here, there] = sides.map(({ perSecond, cpu }) => ({
    perSecond: Math.max(...perSecond),
    cpu: Math.min(...cpu),
  }))
  console.log(
    `${way}: ${here!.perSecond.toFixed()} writes a second (without locks ${there!.perSecond.toFixed()}), ` +
      `${here!.cpu.toFixed()} µs of CPU time each (${there!.cpu.toFixed()})`,
  )
  isSlower ||= here!.cpu > maxRatio * there!.cpu
  for (const { close } of sides) await close()
}
if (isSlower) throw new Error('row locks cost throughput')

async function start(config: string | null, env: Record<string, string>): Promise<Side> {
  const folder = await mkdtemp(join(tmpdir(), 'twain-hot-row-'))
  const schemaFile = join(folder, 'schema.graphql')
  await writeFile(schemaFile, config === null ? sdl.split('\n')[0]! : sdl)
  if (config !== null) await writeFile(join(folder, 'twain.config.ts'), config)
  const database = await makePreparedDatabase()
  const postmaster = await postmasterOf(database.address)
  const flags = ['--database', database.address, '--log-requests', 'false']
  const server = await ServerProcess.start(schemaFile, folder, flags, undefined, env)
  const { address } = server
  const rows = (await send(address, ['POST', '/accounts', Array(clients).fill({ n: 0 })])) as Row[]
  const cpuTime = () => usageOfTree(server.pid).cpu + usageOfTree(postmaster).cpu
  const close = async () => {
    await server.kill()
    await database.drop()
    await rm(folder, { recursive: true })
  }
  return { address, rows, cpuTime, perSecond: [], cpu: [], close }
}

async function measure(side: Side, write: (hot: Row, own: Row) => Request, isWarmUp: boolean): Promise<void> {
  const { address, rows, cpuTime } = side
  const [began, cpu] = [performance.now(), cpuTime()]
  const client = async (own: Row) => {
    for (let n = 0; n < perClient; n++) await send(address, write(rows[0]!, own))
  }
  await Promise.all(rows.map(client))
  if (isWarmUp) return
  side.perSecond.push((1000 * clients * perClient) / (performance.now() - began))
  side.cpu.push((cpuTime() - cpu) / (clients * perClient))
}

async function send(address: string, [method, path, body]: Request): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  const reply = await fetch(address + path, { method, headers, body: JSON.stringify(body) })
  const answer = await reply.json()
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(answer)}`)
  return answer
}
