// The lines of `npm run bench -- client`: ours must cost less than either of the others, and be smaller.

import type { Line } from '../report.ts'
import type { PeerName } from './peers.ts'

export interface ClientOutcome {
  clients: ClientResult[]
  /** Bytes of each as an application loads it: with its cache and all that it imports, minified and gzipped. */
  sizes: Record<PeerName, number>
}

export interface ClientResult {
  name: string
  /** Medians, in µs of CPU time. */
  costs: Record<PeerName, number>
}

export function clientLines({ clients, sizes }: ClientOutcome): Line[] {
  return [
    ...clients.map(({ name, costs }) => lineOf(name, costs, tellTime)),
    lineOf('Size, minified and gzipped', sizes, (bytes) => `${bytes} bytes`),
  ]
}

function lineOf(
  what: string,
  { twain, apollo, urql }: Record<PeerName, number>,
  tell: (figure: number) => string,
): Line {
  const ratio = Math.min(apollo, urql) / twain
  return {
    what,
    twain: tell(twain),
    beside: `Apollo ${tell(apollo)}, urql ${tell(urql)}`,
    figure: `${ratio.toFixed(2)} ×`,
    target: '> 1 ×',
    met: ratio > 1,
  }
}

const tellTime = (µs: number): string => (µs < 1000 ? `${µs.toFixed(1)} µs` : `${(µs / 1000).toFixed(1)} ms`)
