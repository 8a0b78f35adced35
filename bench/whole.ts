// `npm run bench`: random rows and pages, creates, both mixed, and repeated requests, on SQLite and PostgreSQL, beside servers by hand and
// the floor; the start and the memory of the published package. About a quarter of an hour. `--readme` writes the table of the README.

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ByHandOutcome, type ByHandRow, compareByHand, type Figures } from './by-hand/compare.ts'
import { byHandRows } from './by-hand/report.ts'
import { buildCommand, measureStart, type StartOutcome, startRows } from './start.ts'
import type { ReportRow } from './table.ts'

export interface WholeOutcome {
  start: StartOutcome
  stores: ByHandOutcome[]
}

export async function measureWhole(folder: string, only?: string): Promise<WholeOutcome> {
  const command = await buildCommand()
  const start = await measureStart(folder, command)
  const stores: ByHandOutcome[] = []
  for (const onPostgres of [false, true])
    stores.push(await compareByHand(join(folder, onPostgres ? 'postgres' : 'sqlite'), onPostgres, command, only))
  return { start, stores }
}

export function wholeRows({ start, stores }: WholeOutcome): ReportRow[] {
  const rows = stores.flatMap((store) => {
    const name = store.onPostgres ? 'PostgreSQL' : 'SQLite'
    return byHandRows(store).map((row) => ({ ...row, what: `${name}: ${row.what}` }))
  })
  return [...rows, ...startRows(start)]
}

const readmeFile = join(import.meta.dirname, '../README.md')
const tableMarks = /(<!-- npm run bench -- --readme: begin -->\n)[\s\S]*?(<!-- end -->)/

/** Replaces the table between the marks. */
export async function writeReadme(outcome: WholeOutcome): Promise<void> {
  const text = await readFile(readmeFile, 'utf8')
  if (!tableMarks.test(text)) throw new Error('The README has no marks for the table.')
  await writeFile(
    readmeFile,
    text.replace(tableMarks, (_, begin, end) => `${begin}\n${readmeTable(outcome)}\n\n${end}`),
  )
}

/** CPU time of server and database together, Twain first. */
export function readmeTable({ stores }: WholeOutcome): string {
  const [sqlite, postgres] = stores as [ByHandOutcome, ByHandOutcome]
  const order: ByHandRow['kind'][] = ['random', 'mixed', 'repeated']
  const sorted = sqlite.rows.toSorted((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind))
  const rows = sorted.map((row) => {
    const there = postgres.rows.find(({ name }) => name === row.name)
    return `| ${row.name} | ${cells(row).join(' | ')} | ${(there === undefined ? ['', '', ''] : cells(there)).join(' | ')} |`
  })
  return [
    '| µs of CPU time for a request (p99 of mixes) | SQLite: Twain | by hand | floor | PostgreSQL: Twain | by hand | floor |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}

function cells({ figures, peer, kind }: ByHandRow): string[] {
  const print = ({ server, database, p99 }: Figures) =>
    `${(server + database).toFixed(0)}${kind === 'mixed' ? ` (${p99.toFixed(0)} ms)` : ''}`
  return [`**${print(figures.twain!)}**`, print(figures[peer]!), print(figures.floor!)]
}
