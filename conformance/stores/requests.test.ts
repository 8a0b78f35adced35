// The two stores agree: schemas with rules, several viewers, both APIs, conflicting writes; both stores answer each request alike.
// TWAIN_PROPERTY_RUNS makes it longer; a failure prints the seed, and TWAIN_PROPERTY_SEED repeats it.
// stores: sqlite + postgres
// all samples: sqlite + postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { propertyRuns } from '../generate/samples.ts'
import { propertySeed } from '../generate/seed.ts'
import { ruleSchemas } from '../rules/rule-schemas.ts'
import { compareRandomRequests, type RequestCounts } from './compare-answers.ts'
import { StorePair } from './store-pair.ts'
import { everything } from './store-schema.ts'

const runs = propertyRuns(4, 25)

test('both stores answer every request of every viewer alike', { timeout: 240_000 }, async (context) => {
  const tally: RequestCounts = { sent: 0, writes: 0, statuses: new Map() }
  for (const [at, schema] of [everything, ...ruleSchemas].entries()) {
    const pair = await StorePair.open(schema)
    try {
      await compareRandomRequests(pair, schema, propertySeed + at, (schema === everything ? 40 : 3) * runs, tally)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new Error(`with the schema "${schema.name}" and the seed ${propertySeed}\n${why}`, { cause: error })
    } finally {
      await pair.close()
    }
  }
  const counts = [...tally.statuses].toSorted().map(([status, count]) => `${count} × ${status}`)
  context.diagnostic(
    `seed ${propertySeed}: ${tally.sent} requests, ${tally.writes} of them writes: ${counts.join(', ')}`,
  )
  assert.ok(tally.sent >= (runs >= 25 ? 2000 : 0) && tally.writes / tally.sent > 0.4)
})
