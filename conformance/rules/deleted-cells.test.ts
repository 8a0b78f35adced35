// Rules × APIs × viewers of deleted rows (R68): who lists, restores and purges them is what the reference rules say.
// stores: sqlite, postgres
// all samples: postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { samples } from '../generate/samples.ts'
import { softName, softSchemas } from './cells/deleted-cells.ts'
import { runDeleted } from './cells/run-deleted-cells.ts'
import { ruleSchemas } from './rule-schemas.ts'
import { openRulesFixture } from './rules-fixture.ts'

const most = softName('what a neighbour decides')
const tried = softSchemas(ruleSchemas).filter(
  ({ name }, index) => name === most || samples(index % 6 === (testedStore === 'postgres' ? 0 : 3), true),
)

for (const schema of tried) {
  test(`each API gives each viewer the deleted rows that the reference rules say: ${schema.name}`, async () => {
    const fixture = await openRulesFixture(schema)
    try {
      const { cells, differences } = await runDeleted(fixture, { every: samples(12, 3) })
      assert.deepEqual(differences.slice(0, 5), [], `${differences.length} of ${cells} cells differ`)
      assert.ok(cells > 20, `only ${cells} cells`)
    } finally {
      await fixture.apis.close()
    }
  })
}
