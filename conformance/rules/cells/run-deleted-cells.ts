// Runs the cells of deleted rows: deletes each row of a schema, lets each viewer ask for it and write it, and puts it back.

import assert from 'node:assert/strict'
import { system } from '../../../packages/twain/src/base/http/index.ts'
import type { RulesFixture } from '../rules-fixture.ts'
import { canonicalJson } from './cell.ts'
import { type Deletion, deletedAttempts, deletedCells, deletionOf, sendDeleted } from './deleted-cells.ts'
import type { CellSampling, CellsOutcome } from './run-cells.ts'

/** `every`: each viewer sends every n-th of the writes. All reads are sent. */
export async function runDeleted(fixture: RulesFixture, { every, stops }: CellSampling): Promise<CellsOutcome> {
  const outcome: CellsOutcome = { cells: 0, differences: [] }
  const { rows: world, apis, viewers, schema } = fixture
  await fixture.restore() // an earlier run may have stopped at a difference
  const differs = (name: string, got: unknown, expected: unknown) => {
    outcome.cells++
    const [text, wanted] = [canonicalJson(got), canonicalJson(expected)]
    if (text !== wanted) outcome.differences.push(`${schema.name}: ${name}\n  expected ${wanted}\n  got      ${text}`)
  }
  for (const root of world.model.resources
    .filter(({ softDelete }) => softDelete !== undefined)
    .flatMap((of) => world.spots(of))) {
    const deletion = deletionOf(world, root)
    if (deletion === null) continue
    await hide(deletion)
    let turn = 0
    for (const { name, viewer } of viewers) {
      const client = apis.as(viewer)
      const of = `${name}: after a delete of ${root.row.id}`
      for (const cell of deletedCells(deletion, viewer)) {
        if (stops && outcome.differences.length > 0) return outcome
        differs(`${of}: ${cell.name}`, await cell.ask(client), cell.expected)
      }
      for (const attempt of deletedAttempts(deletion, viewer)) {
        for (const api of ['rest', 'graphql'] as const) {
          if (turn++ % every !== 0) continue
          if (stops && outcome.differences.length > 0) return outcome
          const status = await sendDeleted(client, attempt, api)
          const rows = await fixture.dump()
          const isRestored = attempt.action === 'restore' && attempt.status === 200
          const expected = { status: attempt.status, rows: (isRestored ? world : deletion.live).dump() }
          differs(`${of}: ${api} ${attempt.name}`, { status, rows }, expected)
          if (status >= 300) continue
          await fixture.restore()
          await hide(deletion)
        }
      }
    }
    await fixture.restore()
  }
  return outcome

  async function hide({ root: { of, row }, live }: Deletion): Promise<void> {
    const { status, body } = await apis.as(system).rest('DELETE', `/${of.path}/${row.id}`)
    assert.equal(status, 204, JSON.stringify(body))
    assert.equal(canonicalJson(await fixture.dump()), canonicalJson(live.dump()))
  }
}
