// Rules × APIs × viewers: every answer is that of the reference rules, which are written from the documentation alone. A failure prints
// the seed, and TWAIN_PROPERTY_SEED repeats it.
// stores: sqlite, postgres
// all samples: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { samples } from '../generate/samples.ts'
import { type CellsOutcome, runReads, runWrites } from './cells/run-cells.ts'
import { openRulesFixture } from './rules-fixture.ts'
import { seedOfTry, triedSchemas } from './tried-schemas.ts'

/** One of so many of the filters, and of the writes. `TWAIN_CELLS=all` takes those for which no other run has time. */
const [reads, writes] = process.env.TWAIN_CELLS === 'all' ? [8, 4] : samples([180, 128], [48, 24])

const total: CellsOutcome = { cells: 0, differences: [] }

for (const schema of triedSchemas) {
  test(`each API answers each viewer as the reference rules say: ${schema.name} (${seedOfTry})`, async () => {
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
  context.diagnostic(
    `${seedOfTry}: ${total.cells} cells of ${triedSchemas.length} schemas, ${total.differences.length} differences`,
  )
  assert.ok(total.cells >= samples(500, 5000), `${seedOfTry}: only ${total.cells}`)
  assert.deepEqual(total.differences, [])
})
