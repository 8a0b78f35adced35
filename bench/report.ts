// The outcome as a table for people, and as files: `results/<date>.json` to compare with later, `results/latest.md` to read.

import { mkdir, writeFile } from 'node:fs/promises'
import { arch, cpus, platform } from 'node:os'
import { join } from 'node:path'
import { type ClientOutcome, clientLines } from './client/report-clients.ts'
import type { EventsOutcome, Fanned } from './events.ts'
import type { NodesResult, PostgresOutcome } from './postgres.ts'
import type { ReadResult } from './reads.ts'
import type { WriteResult } from './writes.ts'

export type Outcome = SqliteOutcome | PostgresOutcome | EventsOutcome | ClientOutcome

interface SqliteOutcome {
  reads: ReadResult[]
  /** Beside graphql-js and DataLoader; the more the better. */
  peer: ReadResult
  /** The nested list with rules on every level, beside the same without. */
  rules: ReadResult
  writes: WriteResult
  /** Resident MB of an idle server. */
  memory: number
  /** Milliseconds from the start of the process to the first answer. */
  firstAnswer: number
}

export interface Line {
  what: string
  twain: string
  beside: string
  figure: string
  target: string
  /** Null: it is told, and nothing is promised of it. */
  met: boolean | null
}

export function tableOf(outcome: Outcome): string {
  const head = ['', 'Twain', 'beside', 'figure', 'target', '']
  const rows = linesOf(outcome).map((line) => [
    line.what,
    line.twain,
    line.beside,
    line.figure,
    line.target,
    line.met === null ? '' : line.met ? 'met' : 'MISSED',
  ])
  const widths = head.map((title, column) => Math.max(title.length, 3, ...rows.map((row) => row[column]!.length)))
  const lay = (cells: string[]) => `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  return [lay(head), lay(widths.map((width) => '-'.repeat(width))), ...rows.map(lay)].join('\n')
}

/** `name` is of the run: its file is `latest.md`, or `latest-NAME.md`. */
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
  if (name === '') return ''
  return name === 'postgres' ? ' -- --database postgres' : ` -- ${name}`
}

function linesOf(outcome: Outcome): Line[] {
  if ('clients' in outcome) return clientLines(outcome)
  if ('nodes' in outcome)
    return [
      ...outcome.reads.map((read) => readLine(read, 'floor')),
      peerLine(outcome.peer),
      ...outcome.nodes.flatMap((nodes) => [heldLine(nodes), nodesLine(nodes)]),
    ]
  if ('fanOut' in outcome) return eventLines(outcome)
  const { reads, peer, rules, writes, memory, firstAnswer } = outcome
  return [
    ...reads.map((read) => readLine(read, 'floor')),
    peerLine(peer),
    readLine(rules, 'without'),
    {
      what: 'Durable creates, 64 writers',
      twain: `${Math.round(writes.together)}/s`,
      beside: `one commit each ${Math.round(writes.alone)}/s`,
      figure: `${writes.ratio.toFixed(2)} ×`,
      target: '≥ 5 ×',
      met: writes.ratio >= 5,
    },
    {
      what: 'Idle memory',
      twain: `${memory.toFixed(0)} MB`,
      beside: '',
      figure: '',
      target: '≤ 120 MB',
      met: memory <= 120,
    },
    {
      what: 'First answer after start',
      twain: `${firstAnswer.toFixed(0)} ms`,
      beside: '',
      figure: '',
      target: '≤ 1000 ms',
      met: firstAnswer <= 1000,
    },
  ]
}

function eventLines({ fanOut, idle, unheard }: EventsOutcome): Line[] {
  const { twain, floor, ratio } = fanOut
  const tell = ({ cost, perSecond }: Fanned) => `${cost.toFixed(2)} µs, ${Math.round(perSecond)}/s`
  return [
    {
      what: `One event to ${fanOut.subscribers} subscribers, CPU a delivery`,
      twain: tell(twain),
      beside: `ws by hand ${tell(floor)}`,
      figure: `${ratio.toFixed(2)} ×`,
      target: '≥ 0.7 ×',
      met: ratio >= 0.7,
    },
    {
      what: 'The same, p99 from before the write',
      twain: `${twain.p99.toFixed(1)} ms`,
      beside: `ws by hand ${floor.p99.toFixed(1)} ms`,
      figure: '',
      target: '≤ 1000 ms',
      met: twain.p99 <= 1000,
    },
    {
      what: `${idle.lines} idle subscribers, each`,
      twain: `${(idle.bytes / 1024).toFixed(1)} KB`,
      beside: '',
      figure: '',
      target: '≤ 30 KB',
      met: idle.bytes <= 30 * 1024,
    },
    {
      what: 'One event to all of these, p99',
      twain: `${idle.p99.toFixed(0)} ms`,
      beside: '',
      figure: '',
      target: '≤ 1000 ms',
      met: idle.p99 <= 1000,
    },
    {
      what: 'Creates that nobody follows, a second of CPU',
      twain: `${Math.round(unheard.followed)}/s`,
      beside: `without readers of the log ${Math.round(unheard.bare)}/s`,
      figure: `${unheard.ratio.toFixed(2)} ×`,
      target: '≥ 0.95 ×',
      met: unheard.ratio >= 0.95,
    },
  ]
}

function readLine({ name, twain, floor, ratio, target }: ReadResult, beside: string): Line {
  return {
    what: `${name}, CPU a request`,
    twain: `${twain.toFixed(1)} µs`,
    beside: `${beside} ${floor.toFixed(1)} µs`,
    figure: `${ratio.toFixed(2)} ×`,
    target: `≤ ${target} ×`,
    met: ratio <= target,
  }
}

function peerLine(peer: ReadResult): Line {
  return { ...readLine(peer, 'graphql-js'), target: `≥ ${peer.target} ×`, met: peer.ratio >= peer.target }
}

/** What a second node brings where the machine is not what is short. */
function heldLine({ name, held: { share, one, two, gain, byCpu } }: NodesResult): Line {
  const rate = ({ throughput }: NodesResult['one']) => `${Math.round(throughput)}/s`
  return {
    what: `${name}, two nodes / one node`,
    twain: rate(two),
    beside: `one node ${rate(one)}, each node held to ${share} of a core; by CPU time ${byCpu.toFixed(2)} ×`,
    figure: `${gain.toFixed(2)} ×`,
    target: '≥ 1.7 ×',
    met: gain >= 1.7,
  }
}

/** Told only: where all share the cores, a request costs each more for the other, as it would beside anything else. */
function nodesLine({ name, cores, one, two, growth }: NodesResult): Line {
  const rate = (throughput: number) => `${Math.round(throughput)}/s`
  const gain = (two.throughput / one.throughput).toFixed(2)
  return {
    what: `${name}, two nodes, CPU a request`,
    twain: `${two.cost.toFixed(1)} µs, ${rate(two.throughput)}`,
    beside: `one node ${one.cost.toFixed(1)} µs, ${rate(one.throughput)}: ${gain} × on ${cores} cores, all shared`,
    figure: `${growth.toFixed(2)} ×`,
    target: '',
    met: null,
  }
}
