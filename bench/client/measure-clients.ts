// CPU time of a normalized cache, ours compared with Apollo Client's and urql's. Each has its own process, and rounds
// alternate, so that other load on the machine affects all alike.

import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { median } from '../reads.ts'
import type { Measured, MeasureOrder } from './peer-process.ts'
import { type PeerName, peers } from './peers.ts'
import type { ClientOutcome, ClientResult } from './report-clients.ts'
import { situations } from './situations.ts'
import { measureSizes } from './sizes.ts'

const warmUps = 1
const rounds = 3

export async function measureClients(): Promise<ClientOutcome> {
  const names = Object.keys(peers) as PeerName[]
  const children = new Map(names.map((name) => [name, start(name)]))
  const results: ClientResult[] = []
  try {
    for (const [situation, { name }] of situations.entries()) {
      const measured = new Map(names.map((name) => [name, [] as number[]]))
      for (let round = 0; round < warmUps + rounds; round++)
        for (const [name, child] of children) {
          const cost = await measure(child, { situation, round })
          if (round >= warmUps) measured.get(name)!.push(cost)
        }
      const costs = Object.fromEntries(names.map((name) => [name, median(measured.get(name)!)]))
      results.push({ name, costs: costs as Record<PeerName, number> })
    }
  } finally {
    for (const child of children.values()) child.kill()
  }
  return { clients: results, sizes: await measureSizes() }
}

function start(name: PeerName): ChildProcess {
  return fork(join(import.meta.dirname, 'peer-process.ts'), [name], {
    // As applications are shipped: without the checks for developers.
    env: { ...process.env, NODE_ENV: 'production' },
    execArgv: ['--expose-gc', '--conditions=production'],
  })
}

function measure(child: ChildProcess, order: MeasureOrder): Promise<number> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error('A process of the bench ended early.'))
    child.once('exit', onExit)
    child.once('message', ({ cost }: Measured) => {
      child.off('exit', onExit)
      resolve(cost)
    })
    child.send(order)
  })
}
