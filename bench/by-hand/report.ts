// The table of `npm run bench -- by-hand`: requests in a second, the 99th percentile, and µs of CPU time of server and database.

import type { ReportRow } from '../table.ts'
import type { ByHandOutcome, ByHandRow, Figures } from './compare.ts'

export function byHandRows({ rows, memory, onPostgres }: ByHandOutcome): ReportRow[] {
  const resident = (name: keyof typeof memory) => `${name} ${memory[name].toFixed(0)} MB`
  return [
    ...rows.map((row) => (onPostgres ? rateRow(row) : costRow(row))),
    {
      what: 'Resident memory after all of this',
      twain: `${memory.twain.toFixed(0)} MB`,
      comparedWith: [resident('fastify'), resident('mercurius'), resident('floor')].join(', '),
      figure: '',
      target: '≤ 250 MB',
      met: memory.twain <= 250,
    },
  ]
}

/** On PostgreSQL server and database share the cores: what counts is the rate beside the server by hand. */
function rateRow(row: ByHandRow): ReportRow {
  const ratio = row.figures.twain!.perSecond / row.figures[row.peer]!.perSecond
  const { rate } = row.targets
  return { ...printed(row), figure: `${ratio.toFixed(2)} × the rate`, target: `≥ ${rate} ×`, met: ratio >= rate }
}

/** SQLite works in the process of the server: what counts is its CPU time beside the floor. */
function costRow(row: ByHandRow): ReportRow {
  const ratio = row.figures.twain!.server / row.figures.floor!.server
  const { cost } = row.targets
  return {
    ...printed(row),
    figure: `${ratio.toFixed(2)} × the floor's CPU`,
    target: cost === null ? '' : `≤ ${cost} ×`,
    met: cost === null ? null : ratio <= cost,
  }
}

function printed({ name, figures, peer }: ByHandRow): Pick<ReportRow, 'what' | 'twain' | 'comparedWith'> {
  return {
    what: name,
    twain: print(figures.twain!),
    comparedWith: `${peer} ${print(figures[peer]!)}; floor ${print(figures.floor!)}`,
  }
}

function print({ perSecond, p99, server, database }: Figures): string {
  const costs = database === 0 ? `${server.toFixed(0)} µs` : `${server.toFixed(0)} + ${database.toFixed(0)} µs`
  return `${Math.round(perSecond)}/s, p99 ${p99.toFixed(0)} ms, ${costs}`
}
