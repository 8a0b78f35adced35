// Rules × APIs × viewers: every answer is that of the reference rules, which are written from the documentation alone.
// stores: sqlite, postgres
// all samples: postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { samples } from '../generate/samples.ts'
import { type CellsOutcome, runReads, runWrites } from './cells/run-cells.ts'
import { ruleSchemas } from './rule-schemas.ts'
import { openRulesFixture } from './rules-fixture.ts'

/** One of so many of the filters, and of the writes. `TWAIN_CELLS=all` takes those for which no other run has time. */
const [reads, writes] = process.env.TWAIN_CELLS === 'all' ? [8, 4] : samples([180, 128], [48, 24])

const tried = ruleSchemas.filter((_, index) => samples(index % 6 === (testedStore === 'postgres' ? 0 : 3), true))

const total: CellsOutcome = { cells: 0, differences: [] }

for (const schema of tried) {
  test(`each API answers each viewer as the reference rules say: ${schema.name}`, async () => {
    const fixture = await openRulesFixture(schema)
    try {
      for (const { cells, differences } of [
        await runReads(fixture, { every: reads }),
        await runWrites(fixture, { every: writes }),
      ]) {
        total.cells += cells
        total.differences.push(...differences)
        assert.deepEqual(differences.slice(0, 5), [], `${differences.length} of ${cells} cells differ`)
      }
    } finally {
      await fixture.apis.close()
    }
  })
}

test('there are thousands of cells, and none of them leaks', (context) => {
  context.diagnostic(`${total.cells} cells of ${tried.length} schemas, ${total.differences.length} differences`)
  assert.ok(total.cells >= samples(500, 5000), `only ${total.cells}`)
  assert.deepEqual(total.differences, [])
})
