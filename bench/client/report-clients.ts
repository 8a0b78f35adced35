// The rows of `npm run bench -- client`: our client must cost less than each of the others, and be smaller.

import type { ReportRow } from '../table.ts'
import type { PeerName } from './peers.ts'

export interface ClientOutcome {
  clients: ClientResult[]
  /** Bytes of each client as an application loads it: with its cache and all imports, minified and gzipped. */
  sizes: Record<PeerName, number>
}

export interface ClientResult {
  name: string
  /** Medians, in µs of CPU time. */
  costs: Record<PeerName, number>
}

export function clientRows({ clients, sizes }: ClientOutcome): ReportRow[] {
  return [
    ...clients.map(({ name, costs }) => rowOf(name, costs, formatTime)),
    rowOf('Size, minified and gzipped', sizes, (bytes) => `${bytes} bytes`),
  ]
}

function rowOf(
  what: string,
  { twain, apollo, urql }: Record<PeerName, number>,
  format: (figure: number) => string,
): ReportRow {
  const ratio = Math.min(apollo, urql) / twain
  return {
    what,
    twain: format(twain),
    comparedWith: `Apollo ${format(apollo)}, urql ${format(urql)}`,
    figure: `${ratio.toFixed(2)} ×`,
    target: '> 1 ×',
    met: ratio > 1,
  }
}

const formatTime = (µs: number): string => (µs < 1000 ? `${µs.toFixed(1)} µs` : `${(µs / 1000).toFixed(1)} ms`)
