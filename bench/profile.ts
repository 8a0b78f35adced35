// `npm run bench -- profile`: the functions in which Twain spends the CPU time of each hot path, in µs for a request, beside
// the physical limits: a constant answer of node:http, and the statement of the request alone. On PostgreSQL also the time of the database.

import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startDatabases } from './by-hand/compare.ts'
import { type Comparison, chooseComparisons } from './by-hand/requests.ts'
import { startTwainTarget, type Target } from './by-hand/targets.ts'
import type { LoadOrder } from './load.ts'
import { type CpuProfile, MeasuredProcess } from './measured-process.ts'
import { analyse } from './postgres.ts'
import { usageOfTree } from './process-times.ts'

const connections = 32
const warmUpMs = 4000
const profiledMs = 4000
const shownFunctions = 10
const repository = join(import.meta.dirname, '..')

interface ProfiledPath {
  name: string
  /** µs of CPU time of a request, in all threads and processes of the server. */
  cpu: number
  /** The same of PostgreSQL; null on SQLite. */
  databaseCpu: number | null
  functions: ProfiledFunction[]
}

interface ProfiledFunction {
  name: string
  place: string
  /** µs of a request in the function itself. */
  self: number
}

/** Markdown. */
export async function measureProfiles(folder: string, onPostgres: boolean, only = ''): Promise<string> {
  const chosen = chooseComparisons(only)
  const databases = onPostgres ? await startDatabases(['twain']) : null
  const target = await startTwainTarget(folder, databases?.addresses.twain ?? null)
  const load = new MeasuredProcess(join(import.meta.dirname, 'load.ts'), [])
  try {
    if (databases !== null) await analyse([databases.addresses.twain])
    const paths: ProfiledPath[] = []
    for (const comparison of chosen) paths.push(await profile(comparison, target, load, databases?.postmaster ?? null))
    return paths.map(printPath).join('\n\n')
  } finally {
    await load.stop()
    await target.process.stop()
    await databases?.stop()
  }
}

async function profile(
  comparison: Comparison,
  target: Target,
  load: MeasuredProcess,
  postmaster: number | null,
): Promise<ProfiledPath> {
  const requests = comparison.requests(target.cursors)
  const order = (milliseconds: number): LoadOrder => ({
    port: target.port,
    requests,
    authorization: null,
    connections,
    milliseconds,
  })
  const used = () => [target.process.pid, postmaster].map((pid) => (pid === null ? 0 : usageOfTree(pid).cpu))
  await load.carryOut(order(warmUpMs))
  const before = used()
  const { answers } = await load.carryOut(order(profiledMs))
  const [cpu, databaseCpu] = used().map((now, index) => (now - before[index]!) / answers) as [number, number]
  let profiled = 0
  const found = await target.process.profile(async () => {
    profiled = (await load.carryOut(order(profiledMs))).answers
  })
  const functions = functionsOf(found, profiled)
  return { name: comparison.name, cpu, databaseCpu: postmaster === null ? null : databaseCpu, functions }
}

/** The functions by their own time, those with the most first. */
export function functionsOf({ nodes, samples, timeDeltas }: CpuProfile, answers: number): ProfiledFunction[] {
  const byId = new Map(nodes.map((node) => [node.id, node.callFrame]))
  const times = new Map<string, ProfiledFunction>()
  for (const [index, id] of samples.entries()) {
    const { functionName, url, lineNumber } = byId.get(id)!
    const key = `${functionName} ${url} ${lineNumber}`
    const known = times.get(key) ?? { name: functionName || '(anonymous)', place: placeOf(url, lineNumber), self: 0 }
    known.self += timeDeltas[index]! / answers
    times.set(key, known)
  }
  const isOfServer = ({ name, place }: ProfiledFunction) => name !== '(idle)' && place !== 'node:inspector'
  return [...times.values()].filter(isOfServer).sort((one, other) => other.self - one.self)
}

function placeOf(url: string, line: number): string {
  if (!url.startsWith('file:')) return url
  return `${relative(repository, fileURLToPath(url))}:${line + 1}`
}

function printPath({ name, cpu, databaseCpu, functions }: ProfiledPath): string {
  const rows = functions
    .slice(0, shownFunctions)
    .map(({ name, place, self }) => `| \`${name}\` | ${place} | ${self.toFixed(1)} |`)
  const rest = functions.slice(shownFunctions).reduce((sum, { self }) => sum + self, 0)
  return [
    `## ${name}: ${cpu.toFixed(0)} µs${databaseCpu === null ? '' : `, and ${databaseCpu.toFixed(0)} of the database`}`,
    '',
    '| function | file | µs of a request in it |',
    '| --- | --- | --- |',
    ...rows,
    `| ${functions.length - shownFunctions} others | | ${rest.toFixed(1)} |`,
  ].join('\n')
}
