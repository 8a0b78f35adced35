// `npm run soak -- lost-updates=10000`: faults/lost-updates.test.ts with so many rounds of 50 clients; two nodes on PostgreSQL.
// stores: sqlite, postgres

import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { runLostUpdates, sdl } from '../faults/run-lost-updates.ts'
import { ChangingService } from '../harness/changing-service.ts'

const rounds = Number(process.argv[2] ?? 10_000)
const first = await ChangingService.open(sdl)
const nodes = testedStore === 'postgres' ? [first, await ChangingService.open(sdl, first)] : [first]
const began = performance.now()
try {
  const refused = await runLostUpdates(nodes, { rounds, clients: 50 })
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  console.log(
    `${rounds} rounds of 50 clients on ${testedStore} with ${nodes.length} nodes: one winner each, ${refused} refused, ${seconds} s`,
  )
} finally {
  for (const node of nodes.toReversed()) await node.close()
}
