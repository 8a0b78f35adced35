// `npm run bench -- --against FOLDER`: this checkout compared with another one, in one run. FOLDER is a clone with its packages
// installed. Each checkout starts itself, by its own `bench/twain-process.ts`, so settings may have other names there.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { cachedCases, cases } from './cases.ts'
import { startServer } from './postgres.ts'
import { measureReads, median } from './reads.ts'
import type * as twainProcess from './twain-process.ts'
import type { WriteResult } from './writes.ts'

/** Less is better. */
interface AgainstSample {
  name: string
  ours: number
  theirs: number
}

/** Medians over the starts, and the ratio of each start. */
export interface AgainstRow extends AgainstSample {
  ratio: number
  ratios: number[]
}

/** Two processes of the same code differ by up to 7 %, as the compiler and the memory happen to lay them out. So each checkout is
 *  started several times. */
const starts = 3
const writeRounds = 3

export async function measureAgainst(other: string, folder: string, onPostgres: boolean): Promise<AgainstRow[]> {
  const [ours, theirs] = await Promise.all([join(import.meta.dirname, '..'), other].map(loadCheckout))
  const databases = onPostgres ? [await startServer(), await startServer()] : []
  try {
    const places = [ours!, theirs!].map((checkout, index) => ({
      checkout,
      data: join(folder, String(index)),
      database: databases[index]?.address ?? null,
    }))
    for (const { checkout, data, database } of places)
      await checkout.fillTwain(data, checkout.schemaFile, undefined, database)
    const samples: AgainstSample[] = []
    for (let start = 0; start < starts; start++) {
      for (const isCached of [false, true]) samples.push(...(await measureStart(places, isCached)))
    }
    if (!onPostgres) for (let round = 0; round < writeRounds; round++) samples.push(await measureCreates(other))
    return [...Map.groupBy(samples, ({ name }) => name)].map(([name, same]) => ({
      name,
      ours: median(same.map((sample) => sample.ours)),
      theirs: median(same.map((sample) => sample.theirs)),
      ratio: median(same.map((sample) => sample.ours / sample.theirs)),
      ratios: same.map((sample) => sample.ours / sample.theirs),
    }))
  } finally {
    for (const database of databases) await database.stop()
  }
}

interface Place {
  checkout: typeof twainProcess
  data: string
  database: string | null
}

/** One process of each checkout. */
async function measureStart(places: Place[], isCached: boolean): Promise<AgainstSample[]> {
  const servers = []
  for (const { checkout, data, database } of places) {
    const cache = isCached ? [] : checkout.withoutResultCache
    const flags = database === null ? cache : [...cache, '--database', database]
    servers.push(await checkout.startTwain(data, checkout.schemaFile, flags))
  }
  const [ours, theirs] = servers
  const reads = await measureReads(ours!, theirs!, isCached ? cachedCases : cases)
  for (const server of servers) await server.process.stop()
  return [
    ...reads.map(({ name, twain, baseline }) => ({ name: `${name}, µs of CPU time`, ours: twain, theirs: baseline })),
    { name: 'First response after start, ms', ours: ours!.firstAnswer, theirs: theirs!.firstAnswer },
  ]
}

function loadCheckout(folder: string): Promise<typeof twainProcess> {
  return import(pathToFileURL(join(folder, 'bench/twain-process.ts')).href)
}

async function measureCreates(other: string): Promise<AgainstSample> {
  const ours = await runWrites(join(import.meta.dirname, '..'))
  const theirs = await runWrites(other)
  return { name: 'Durable create with 64 writers, µs', ours: 1e6 / ours.together, theirs: 1e6 / theirs.together }
}

/** The writes of a checkout, in a process of their own. */
export async function runWrites(checkout: string): Promise<WriteResult> {
  const file = join(checkout, 'bench/writes-process.ts')
  return JSON.parse((await promisify(execFile)(process.execPath, [file])).stdout)
}

export function againstTable(rows: AgainstRow[]): string {
  return rows
    .map(({ name, ours, theirs, ratio, ratios }) => {
      const each = ratios.map((one) => one.toFixed(2)).join(' ')
      return `${name.padEnd(52)} ${ours.toFixed(1).padStart(8)} there ${theirs.toFixed(1).padStart(8)}  ${ratio.toFixed(2)} × (${each})`
    })
    .join('\n')
}
