// Several versions of a schema over one database: random sequences of starts and stops of nodes with older and newer versions, and of
// writes, deletes, uploads, searches, subscriptions, copies and backups through whichever node. No row, file, link or event is lost or
// changed, and every answer is right for the schema of its node. `npm run soak -- versions` runs 2,000 of them.
// stores: sqlite, postgres
// all samples: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { propertyRuns } from '../generate/samples.ts'
import { propertySeed } from '../generate/seed.ts'
import { failureText, runSequences, stepsText } from './sequences/run-sequences.ts'

// A start takes four times as long on SQLite, which has a thread for writes.
const sequences = testedStore === 'sqlite' ? propertyRuns(3, 20) : propertyRuns(10, 40)

test('nodes of several versions lose nothing and answer rightly, in any order of starts and writes', {
  timeout: 60_000 + sequences * 10_000,
}, async (t) => {
  const seeds = Array.from({ length: sequences }, (_, index) => propertySeed * 1000 + index)
  const outcome = await runSequences({ store: testedStore, seeds })
  t.diagnostic(`${outcome.sequences} sequences: ${stepsText(outcome)}`)
  assert.deepEqual(outcome.failures.map((failure) => failureText(failure, testedStore)).join('\n\n'), '')
})
