// `npm run soak -- lost-updates` runs 10,000 rounds of this.
// stores: sqlite, postgres

import { test } from 'node:test'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { ChangingService } from '../harness/changing-service.ts'
import { runLostUpdates, sdl } from './run-lost-updates.ts'

test('of 50 clients that update the same version of a row, one wins each round', async (t) => {
  const first = await ChangingService.open(sdl)
  t.after(() => first.close())
  const nodes = [first]
  if (testedStore === 'postgres') {
    const second = await ChangingService.open(sdl, first)
    t.after(() => second.close())
    nodes.push(second)
  }
  const rounds = testedStore === 'postgres' ? 15 : 50
  const refused = await runLostUpdates(nodes, { rounds, clients: 50 })
  t.diagnostic(`${rounds} rounds, ${nodes.length} nodes: one winner each, ${refused} refused`)
})
