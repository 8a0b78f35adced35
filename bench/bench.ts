// `npm run bench`: speed, memory and start of Twain, compared with a hand-written baseline and with graphql-js, in one run
// of two minutes. `-- --database postgres` measures reads on PostgreSQL against a baseline there, and two nodes against one.
// `-- events` measures the delivery of events against a baseline. `-- client` compares our client's cache with Apollo
// Client's and urql's. `-- types` measures the start and the reload of 500 types in 60 files. `-- import` measures
// the import of a million rows. `-- by-hand` compares with servers written by hand with Fastify and Mercurius, on SQLite or, with
// `--database postgres`, on PostgreSQL; `--only TEXT` takes the requests with this text in their name. `-- aggregates` compares groups of a million rows with SQL by hand. `-- --against FOLDER` measures
// another checkout of Twain and this one in turn.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { againstTable, measureAgainst, runWrites } from './against.ts'
import { measureAggregates } from './aggregates.ts'
import { compareByHand } from './by-hand/compare.ts'
import { bareCases, cachedCases } from './cases.ts'
import { measureClients } from './client/measure-clients.ts'
import { measureEvents } from './events.ts'
import { measureImport } from './import.ts'
import { measureLargeSchema } from './large-schema.ts'
import { MeasuredProcess } from './measured-process.ts'
import { measurePostgres } from './postgres.ts'
import { measureProfiles } from './profile.ts'
import { measurePeer, measureReads, median } from './reads.ts'
import { tableOf, writeResults } from './report.ts'
import { measureRules } from './rules.ts'
import { fillTwain, startTwain, withoutResultCache } from './twain-process.ts'

const { values, positionals } = parseArgs({
  options: { database: { type: 'string', default: 'sqlite' }, against: { type: 'string' }, only: { type: 'string' } },
  allowPositionals: true,
})
const subjects = {
  client: measureClients,
  events: measureEvents,
  aggregates: () => measureAggregates(folder),
  'by-hand': () => compareByHand(folder, onPostgres, values.only),
}
const [subject] = positionals as (keyof typeof subjects)[]
const isLargeSchema = positionals.join(' ') === 'types'
const isImport = positionals.join(' ') === 'import'
const isProfile = positionals.join(' ') === 'profile'
if (
  positionals.length > 1 ||
  (subject !== undefined && !(subject in subjects) && !isLargeSchema && !isImport && !isProfile)
)
  throw new Error(
    `There is ${Object.keys(subjects).join(', ')}, types, import and profile, not "${positionals.join(' ')}".`,
  )
const onPostgres = values.database === 'postgres'
if (!onPostgres && values.database !== 'sqlite') throw new Error('--database must be sqlite or postgres.')

const folder = await mkdtemp(join(tmpdir(), 'twain-bench-'))
try {
  if (values.against !== undefined) {
    const other = resolve(process.env.INIT_CWD ?? '.', values.against)
    console.log(againstTable(await measureAgainst(other, folder, onPostgres)))
  } else if (isImport) console.log(await measureImport(folder, onPostgres))
  else if (isProfile) console.log(await measureProfiles(folder, values.only))
  else if (isLargeSchema) console.log(await measureLargeSchema(folder, onPostgres))
  else await runAndReport()
} finally {
  await rm(folder, { recursive: true })
}

async function runAndReport(): Promise<void> {
  const outcome = await (subject !== undefined
    ? subjects[subject]()
    : onPostgres
      ? measurePostgres(folder)
      : run(folder))
  console.log(tableOf(outcome))
  if (values.only !== undefined) return // a part is no result
  const store = onPostgres ? 'postgres' : ''
  const name = subject === 'by-hand' ? [subject, store].filter(Boolean).join('-') : (subject ?? store)
  await writeResults(outcome, join(import.meta.dirname, 'results'), new Date(), name)
}

async function run(folder: string) {
  const data = join(folder, 'twain')
  await fillTwain(data)
  await fillTwain(`${data}-bare`)
  const { memory, firstAnswer } = await measureStart(data)

  const baseline = new MeasuredProcess(join(import.meta.dirname, 'baseline.ts'), [join(folder, 'baseline.db')])
  const twain = await startTwain(data, undefined, withoutResultCache)
  const server = { process: baseline, port: await baseline.port() }
  const reads = await measureReads(twain, server)
  const bare = await startTwain(`${data}-bare`, undefined, [
    ...withoutResultCache,
    '--limits-requests-per-minute',
    '0',
    '--log-requests',
    'false',
  ])
  reads.push(...(await measureReads(bare, server, bareCases)))
  await bare.process.stop()
  const cached = await startTwain(`${data}-bare`)
  reads.push(...(await measureReads(cached, server, cachedCases)))
  await cached.process.stop()
  await baseline.stop()
  const graphqlJs = new MeasuredProcess(join(import.meta.dirname, 'graphql-js.ts'), [join(folder, 'graphql-js.db')])
  const peer = await measurePeer(twain, { process: graphqlJs, port: await graphqlJs.port() })
  await graphqlJs.stop()
  const rules = await measureRules(join(folder, 'ruled'), twain)
  await twain.process.stop()

  return { reads, peer, rules, writes: await runWrites(join(import.meta.dirname, '..')), memory, firstAnswer }
}

/** Three starts. Memory of the idle server is read after a pause, as `ps` would show it. */
async function measureStart(data: string): Promise<{ memory: number; firstAnswer: number }> {
  const memory: number[] = []
  const firstAnswer: number[] = []
  for (let start = 0; start < 3; start++) {
    const twain = await startTwain(data)
    firstAnswer.push(twain.firstAnswer)
    await pause(3000)
    memory.push((await twain.process.read()).memory / 1e6)
    await twain.process.stop()
  }
  return { memory: median(memory), firstAnswer: median(firstAnswer) }
}
