// Rows × nulls: the fields that rules compare are null as often as they have values, and change between the two. Reads and events are
// those of the reference rules.
// stores: sqlite, postgres
// all samples: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { Random } from '../fuzz/random.ts'
import { samples } from '../generate/samples.ts'
import { propertySeed } from '../generate/seed.ts'
import { until } from '../harness/until.ts'
import { runEvents } from './cells/event-cells.ts'
import { runReads } from './cells/run-cells.ts'
import { drawNulls, loosened } from './draw-nulls.ts'
import { ruleSchemas } from './rule-schemas.ts'
import { openRulesFixture } from './rules-fixture.ts'
import { seedOfTry, triedSchemas } from './tried-schemas.ts'

/** All reads again take a minute of CPU time for a few schemas. */
const readsEvery = samples(null, 100)

for (const schema of testedStore === 'sqlite' ? ruleSchemas : triedSchemas) {
  test(`a null in a compared field shows nothing: ${schema.name} (${seedOfTry})`, async (context) => {
    const loose = { ...schema, sdl: loosened(schema.sdl) }
    const fixture = await openRulesFixture(loose, undefined, { hasFeed: true })
    try {
      const random = new Random(propertySeed)
      let nulls = 0
      for (let round = 0; round < samples(2, 6); round++) nulls += await drawNulls(fixture, random)
      const reads = readsEvery === null ? null : await runReads(fixture, { every: readsEvery })
      assert.deepEqual(reads?.differences.slice(0, 5) ?? [], [], `${reads?.differences.length} reads differ`)
      const events = await until(
        () => runEvents(fixture),
        ({ differences }) => !differences.some((one) => one.includes('is never told')),
      )
      assert.deepEqual(
        events.differences.slice(0, 5),
        [],
        `${events.differences.length} of ${events.cells} events differ`,
      )
      context.diagnostic(`${nulls} nulls, ${reads?.cells ?? 0} reads, ${events.cells} events`)
    } finally {
      await fixture.apis.close()
    }
  })
}
