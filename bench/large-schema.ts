// `npm run bench -- types`: 500 types in 60 files under `twain dev` of the package as it is published: the start, the reload after a save, the
// first answers of both APIs, and memory. `--database postgres` measures the same on PostgreSQL.

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileOf, largeSchema, writeSchema } from '../conformance/generate/large-schema.ts'
import { freePort } from '../scripts/free-port.ts'
import { startPostgres } from '../scripts/start-postgres.ts'
import { MeasuredProcess } from './measured-process.ts'
import { printTable, type ReportRow } from './table.ts'

const [types, files] = [500, 60]
const patienceMs = 120_000

export async function measureLargeSchema(folder: string, onPostgres: boolean, command: string): Promise<string> {
  const server = onPostgres ? await startPostgres() : null
  try {
    const place = server === null ? [] : ['--database', server.address]
    return printTable(await measure(folder, place, command))
  } finally {
    await server?.stop()
  }
}

async function measure(folder: string, place: readonly string[], command: string): Promise<ReportRow[]> {
  const schema = join(folder, 'schema')
  writeSchema(schema, largeSchema(types, files))
  const flags = [schema, '--data', join(folder, 'data'), ...place]
  const empty = await start(command, flags)
  await empty.server.stop()
  const { server, ask, started } = await start(command, flags)
  const graphql = await measureWork(server, () => ask('/graphql?query=%7B%20item7s%20%7B%20id%20%7D%20%7D'))
  const reloads: Spent[] = []
  for (let n = 0; n < 3; n++) {
    await addField(join(schema, fileOf(7, files - 1)), `more${n}`)
    reloads.push(await measureWork(server, () => ask(`/item7s?fields=id,more${n}`)))
  }
  const { memory } = await server.read()
  await server.stop()
  const slowest = reloads.reduce((a, b) => (a.ms > b.ms ? a : b))
  return [
    row('First answer, new database', empty.started, 2000),
    row('First answer after a restart', started, 2000),
    row('First GraphQL answer after that', graphql, null),
    row('First answer after a save', slowest, 1000),
    { ...row('Memory after GraphQL and three reloads', slowest, null), twain: megabytes(memory), comparedWith: '' },
  ]
}

/** Elapsed time, CPU time of the process in all its threads, and its memory at the end. */
interface Spent {
  ms: number
  cpuMs: number
  memory: number
}

async function start(command: string, flags: readonly string[]) {
  const port = await freePort()
  const server = new MeasuredProcess(command, ['dev', ...flags, '--port', String(port)])
  const ask = async (path: string) => {
    const end = performance.now() + patienceMs
    for (;;) {
      const reply = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => null)
      if (reply?.status === 200) return
      if (server.ended || performance.now() > end) throw new Error(`${path} is not answered:\n${server.said}`)
      await pause(5)
    }
  }
  const began = performance.now()
  await ask('/users?limit=1')
  const { cpu, memory } = await server.read()
  return { server, ask, started: { ms: performance.now() - began, cpuMs: cpu / 1000, memory } }
}

async function measureWork(server: MeasuredProcess, work: () => Promise<void>): Promise<Spent> {
  const { cpu: before } = await server.read()
  const began = performance.now()
  await work()
  const ms = performance.now() - began
  const { cpu, memory } = await server.read()
  return { ms, cpuMs: (cpu - before) / 1000, memory }
}

async function addField(file: string, name: string): Promise<void> {
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replace(/(type Item7\b[\s\S]*?)( {2}count: Int!)/, `$1  ${name}: String\n$2`))
}

function row(what: string, { ms, cpuMs, memory }: Spent, target: number | null): ReportRow {
  const comparedWith = `CPU ${Math.round(cpuMs)} ms, then ${megabytes(memory)}`
  const words = { what, twain: `${Math.round(ms)} ms`, comparedWith, figure: '' }
  return { ...words, target: target === null ? '' : `≤ ${target} ms`, met: target === null ? null : ms <= target }
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`
}
