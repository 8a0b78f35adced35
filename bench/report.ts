// Prints the outcome as a table and writes it to files: `results/<date>.json` for later comparison, `results/latest.md` for
// readers.

import { mkdir, writeFile } from 'node:fs/promises'
import { arch, cpus, platform } from 'node:os'
import { join } from 'node:path'
import { type AggregatesOutcome, aggregateRows } from './aggregates.ts'
import type { ByHandOutcome } from './by-hand/compare.ts'
import { byHandRows } from './by-hand/report.ts'
import { type ClientOutcome, clientRows } from './client/report-clients.ts'
import { type ConsoleOutcome, consoleRows } from './console/measure-console.ts'
import type { EventsOutcome, Fanned } from './events.ts'
import type { NodesResult, PostgresOutcome } from './postgres.ts'
import type { ReadResult } from './reads.ts'
import { printTable, type ReportRow } from './table.ts'
import { type WholeOutcome, wholeRows } from './whole.ts'
import type { WriteResult } from './writes.ts'

export type Outcome =
  | SqliteOutcome
  | PostgresOutcome
  | EventsOutcome
  | ClientOutcome
  | AggregatesOutcome
  | ByHandOutcome
  | ConsoleOutcome
  | WholeOutcome

interface SqliteOutcome {
  reads: ReadResult[]
  /** Compared with graphql-js and DataLoader; higher is better. */
  peer: ReadResult
  /** The nested list with rules on every level, compared with the same list without rules. */
  rules: ReadResult
  writes: WriteResult
}

export function tableOf(outcome: Outcome): string {
  return printTable(rowsOf(outcome))
}

/** `name` is the name of the run: its file is `latest.md`, or `latest-NAME.md`. */
export async function writeResults(outcome: Outcome, folder: string, now: Date, name = ''): Promise<void> {
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, ${platform()} ${arch()}, Node ${process.versions.node}, SQLite ${process.versions.sqlite ?? 'unknown'}`
  await mkdir(folder, { recursive: true })
  const stamp = now.toISOString().slice(0, 19).replace(/[:T]/g, '-')
  await writeFile(
    join(folder, `${stamp}${name && `-${name}`}.json`),
    `${JSON.stringify({ at: now, machine, ...outcome }, null, 2)}\n`,
  )
  const text = `# The last run of \`npm run bench${flagOf(name)}\`\n\n${now.toISOString()} on ${machine}\n\n${tableOf(outcome)}\n`
  await writeFile(join(folder, name === '' ? 'latest.md' : `latest-${name}.md`), text)
}

function flagOf(name: string): string {
  return name === '' ? '' : ` -- ${name.replace('-postgres', ' --database postgres')}`
}

function rowsOf(outcome: Outcome): ReportRow[] {
  if ('clients' in outcome) return clientRows(outcome)
  if ('stores' in outcome) return wholeRows(outcome)
  if ('onPostgres' in outcome) return byHandRows(outcome)
  if ('aggregates' in outcome) return aggregateRows(outcome)
  if ('console' in outcome) return consoleRows(outcome)
  if ('nodes' in outcome)
    return [
      ...outcome.reads.map((read) => readRow(read, 'baseline')),
      peerRow(outcome.peer),
      ...outcome.nodes.flatMap((nodes) => [limitedNodesRow(nodes), nodesRow(nodes)]),
    ]
  if ('fanOut' in outcome) return eventRows(outcome)
  const { reads, peer, rules, writes } = outcome
  return [
    ...reads.map((read) => readRow(read, 'baseline')),
    peerRow(peer),
    readRow(rules, 'without'),
    {
      what: 'Durable creates, 64 writers',
      twain: `${Math.round(writes.together)}/s`,
      comparedWith: `one commit each ${Math.round(writes.alone)}/s`,
      figure: `${writes.ratio.toFixed(2)} ×`,
      target: '≥ 5 ×',
      met: writes.ratio >= 5,
    },
  ]
}

function eventRows({ fanOut, idle, channels, unheard }: EventsOutcome): ReportRow[] {
  const { twain, baseline, ratio } = fanOut
  const format = ({ cost, perSecond }: Fanned) => `${cost.toFixed(2)} µs, ${Math.round(perSecond)}/s`
  return [
    {
      what: `One event to ${fanOut.subscribers} subscribers, CPU per delivery`,
      twain: format(twain),
      comparedWith: `ws by hand ${format(baseline)}`,
      figure: `${ratio.toFixed(2)} ×`,
      target: '≥ 0.7 ×',
      met: ratio >= 0.7,
    },
    {
      what: 'The same, p99 from before the write',
      twain: `${twain.p99.toFixed(1)} ms`,
      comparedWith: `ws by hand ${baseline.p99.toFixed(1)} ms`,
      figure: '',
      target: '≤ 1000 ms',
      met: twain.p99 <= 1000,
    },
    {
      what: `${idle.lines} idle subscribers, each`,
      twain: `${(idle.bytes / 1024).toFixed(1)} KB`,
      comparedWith: '',
      figure: '',
      target: '≤ 30 KB',
      met: idle.bytes <= 30 * 1024,
    },
    {
      what: 'One event to all of them, p99',
      twain: `${idle.p99.toFixed(0)} ms`,
      comparedWith: '',
      figure: '',
      target: '≤ 1000 ms',
      met: idle.p99 <= 1000,
    },
    {
      what: 'One event among 1,000 channels with subscribers of their own',
      twain: `${channels.many.toFixed(0)} µs`,
      comparedWith: `among 10 ${channels.few.toFixed(0)} µs`,
      figure: `${channels.ratio.toFixed(2)} ×`,
      target: '≤ 1.2 ×',
      met: channels.ratio <= 1.2,
    },
    {
      what: 'Creates without subscribers, per second of CPU',
      twain: `${Math.round(unheard.followed)}/s`,
      comparedWith: `without readers of the change log ${Math.round(unheard.bare)}/s`,
      figure: `${unheard.ratio.toFixed(2)} ×`,
      target: '≥ 0.95 ×',
      met: unheard.ratio >= 0.95,
    },
  ]
}

function readRow({ name, twain, baseline, ratio, target }: ReadResult, other: string): ReportRow {
  return {
    what: `${name}, CPU per request`,
    twain: `${twain.toFixed(1)} µs`,
    comparedWith: `${other} ${baseline.toFixed(1)} µs`,
    figure: `${ratio.toFixed(2)} ×`,
    target: `≤ ${target} ×`,
    met: ratio <= target,
  }
}

function peerRow(peer: ReadResult): ReportRow {
  return { ...readRow(peer, 'graphql-js'), target: `≥ ${peer.target} ×`, met: peer.ratio >= peer.target }
}

/** The gain of a second node where the machine is not the limit. */
function limitedNodesRow({ name, held: { share, one, two, gain, byCpu } }: NodesResult): ReportRow {
  const rate = ({ throughput }: NodesResult['one']) => `${Math.round(throughput)}/s`
  return {
    what: `${name}, two nodes / one node`,
    twain: rate(two),
    comparedWith: `one node ${rate(one)}, each node limited to ${share} of a core; by CPU time ${byCpu.toFixed(2)} ×`,
    figure: `${gain.toFixed(2)} ×`,
    target: '≥ 1.7 ×',
    met: gain >= 1.7,
  }
}

/** For information: where all share the cores, a request costs each node more, as it would beside any other load. */
function nodesRow({ name, cores, one, two, growth }: NodesResult): ReportRow {
  const rate = (throughput: number) => `${Math.round(throughput)}/s`
  const gain = (two.throughput / one.throughput).toFixed(2)
  return {
    what: `${name}, two nodes, CPU per request`,
    twain: `${two.cost.toFixed(1)} µs, ${rate(two.throughput)}`,
    comparedWith: `one node ${one.cost.toFixed(1)} µs, ${rate(one.throughput)}: ${gain} × on ${cores} cores, all shared`,
    figure: `${growth.toFixed(2)} ×`,
    target: '',
    met: null,
  }
}
