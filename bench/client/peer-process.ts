// One client in a process of its own, so that no other's garbage is counted: measures a situation when it is told to.

import { type PeerName, peers } from './peers.ts'
import { situations } from './situations.ts'

export interface MeasureOrder {
  situation: number
  round: number
}

export interface Measured {
  /** Microseconds of CPU time, in all threads: garbage that is collected beside is part of what it costs. */
  cost: number
}

const opening = peers[process.argv[2] as PeerName]()

process.on('message', async ({ situation, round }: MeasureOrder) => {
  const open = await opening
  const { prepare, times } = situations[situation]!
  const timed = prepare(open, round)
  globalThis.gc!()
  const before = process.cpuUsage()
  for (let n = 0; n < times; n++) await timed()
  const { user, system } = process.cpuUsage(before)
  process.send!({ cost: (user + system) / times } satisfies Measured)
})
