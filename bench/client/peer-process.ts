// One client in its own process, so that the garbage of the others is not counted. Measures a situation on request.

import { type PeerName, peers } from './peers.ts'
import { situations } from './situations.ts'

export interface MeasureOrder {
  situation: number
  round: number
}

export interface Measured {
  /** Microseconds of CPU time in all threads, since concurrent garbage collection is part of the cost. */
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
