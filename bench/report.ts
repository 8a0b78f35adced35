// The outcome as a table for people, and as files: `results/<date>.json` to compare with later, `results/latest.md` to read.

import { mkdir, writeFile } from 'node:fs/promises'
import { arch, cpus, platform } from 'node:os'
import { join } from 'node:path'
import type { ReadResult } from './reads.ts'
import type { WriteResult } from './writes.ts'

export interface Outcome {
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

interface Line {
  what: string
  twain: string
  beside: string
  figure: string
  target: string
  met: boolean
}

export function tableOf(outcome: Outcome): string {
  const head = ['', 'Twain', 'beside', 'figure', 'target', '']
  const rows = linesOf(outcome).map((line) => [
    line.what,
    line.twain,
    line.beside,
    line.figure,
    line.target,
    line.met ? 'met' : 'MISSED',
  ])
  const widths = head.map((title, column) => Math.max(title.length, 3, ...rows.map((row) => row[column]!.length)))
  const lay = (cells: string[]) => `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  return [lay(head), lay(widths.map((width) => '-'.repeat(width))), ...rows.map(lay)].join('\n')
}

export async function writeResults(outcome: Outcome, folder: string, now: Date): Promise<void> {
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, ${platform()} ${arch()}, Node ${process.versions.node}, SQLite ${process.versions.sqlite ?? 'unknown'}`
  await mkdir(folder, { recursive: true })
  const stamp = now.toISOString().slice(0, 19).replace(/[:T]/g, '-')
  await writeFile(join(folder, `${stamp}.json`), `${JSON.stringify({ at: now, machine, ...outcome }, null, 2)}\n`)
  const text = `# The last run of \`npm run bench\`\n\n${now.toISOString()} on ${machine}\n\n${tableOf(outcome)}\n`
  await writeFile(join(folder, 'latest.md'), text)
}

function linesOf({ reads, peer, rules, writes, memory, firstAnswer }: Outcome): Line[] {
  return [
    ...reads.map((read) => readLine(read, 'floor')),
    { ...readLine(peer, 'graphql-js'), target: `≥ ${peer.target} ×`, met: peer.ratio >= peer.target },
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
