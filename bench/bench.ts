// `npm run bench`: Twain beside servers written by hand, on SQLite and PostgreSQL (`whole.ts`), in some 25 minutes. `--readme` writes
// the table of the README. `-- by-hand` does so on one database, with `--only TEXT` for the requests with this text in their name.
// `-- baseline` compares repeated requests with a minimal server and with graphql-js. Both know `--database postgres`.
// `-- profile` shows where the CPU time goes. `-- start` measures memory and time of a start, `-- shapes` memory during 100,000 different requests, `-- growth` the CPU time of 2,000,000 rows against 20,000, `-- types` those of 500 types in 60 files.
// `-- events` measures the delivery of events, `-- client` compares our client's cache with Apollo Client's and urql's, `-- import` measures
// the import of a million rows, `-- aggregates` compares groups of a million rows with SQL by hand, `-- console` measures the console in Chromium. `-- --against FOLDER` measures
// another checkout of Twain and this one in turn. `-- in-turn --only TEXT --servers here,FOLDER,fastify` measures one kind of request on several servers.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { againstTable, measureAgainst, runWrites } from './against.ts'
import { measureAggregates } from './aggregates.ts'
import { compareByHand } from './by-hand/compare.ts'
import { measureInTurn } from './by-hand/in-turn.ts'
import { bareCases, cachedCases } from './cases.ts'
import { measureClients } from './client/measure-clients.ts'
import { measureConsole } from './console/measure-console.ts'
import { measureEvents } from './events.ts'
import { measureGrowth } from './growth.ts'
import { measureImport } from './import.ts'
import { measureLargeSchema } from './large-schema.ts'
import { MeasuredProcess } from './measured-process.ts'
import { measurePostgres } from './postgres.ts'
import { measureProfiles } from './profile.ts'
import { measurePeer, measureReads } from './reads.ts'
import { tableOf, writeResults } from './report.ts'
import { measureRules } from './rules.ts'
import { measureShapes } from './shapes.ts'
import { buildCommand, measureStart, startRows } from './start.ts'
import { printTable } from './table.ts'
import { fillTwain, startTwain, withoutResultCache } from './twain-process.ts'
import { measureWhole, writeReadme } from './whole.ts'

const { values, positionals } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    against: { type: 'string' },
    only: { type: 'string' },
    readme: { type: 'boolean', default: false },
    servers: { type: 'string', default: 'here,here,fastify,fastify' },
  },
  allowPositionals: true,
})
const onPostgres = values.database === 'postgres'
if (!onPostgres && values.database !== 'sqlite') throw new Error('--database must be sqlite or postgres.')

/** Those whose results are written to files. */
const measured = {
  whole: () => measureWhole(folder, values.only),
  baseline: () => (onPostgres ? measurePostgres(folder) : run(folder)),
  client: measureClients,
  events: measureEvents,
  aggregates: () => measureAggregates(folder),
  console: () => measureConsole(folder, onPostgres),
  'by-hand': async () => compareByHand(folder, onPostgres, await buildCommand(), values.only),
}
const printed = {
  types: async () => measureLargeSchema(folder, onPostgres, await buildCommand()),
  import: () => measureImport(folder, onPostgres),
  growth: () => measureGrowth(folder, onPostgres),
  shapes: () => measureShapes(folder),
  'in-turn': () => measureInTurn(folder, onPostgres, values.only ?? '', values.servers.split(',')),
  profile: () => measureProfiles(folder, onPostgres, values.only),
  start: async () => printTable(startRows(await measureStart(folder, await buildCommand()))),
}
const [subject = 'whole', ...others] = positionals
if (others.length > 0 || !(subject in measured || subject in printed))
  throw new Error(`There is ${Object.keys({ ...measured, ...printed }).join(', ')}, not "${positionals.join(' ')}".`)

const folder = await mkdtemp(join(tmpdir(), 'twain-bench-'))
try {
  if (values.against !== undefined) {
    const other = resolve(process.env.INIT_CWD ?? '.', values.against)
    console.log(againstTable(await measureAgainst(other, folder, onPostgres)))
  } else if (subject in printed) console.log(await printed[subject as keyof typeof printed]())
  else await runAndReport(subject as keyof typeof measured)
} finally {
  await rm(folder, { recursive: true })
}

async function runAndReport(subject: keyof typeof measured): Promise<void> {
  const outcome = await measured[subject]()
  console.log(tableOf(outcome))
  if (values.only !== undefined) return // a part is no result
  if (values.readme && 'stores' in outcome) await writeReadme(outcome)
  const hasStores = subject === 'by-hand' || subject === 'baseline' || subject === 'console'
  const name = subject === 'whole' ? '' : hasStores && onPostgres ? `${subject}-postgres` : subject
  await writeResults(outcome, join(import.meta.dirname, 'results'), new Date(), name)
}

async function run(folder: string) {
  const data = join(folder, 'twain')
  await fillTwain(data)
  await fillTwain(`${data}-bare`)

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

  return { reads, peer, rules, writes: await runWrites(join(import.meta.dirname, '..')) }
}
