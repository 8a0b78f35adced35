// stores: postgres

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { runOutages } from './run-outages.ts'

test('under 20 restarts and 8 other outages each request gets 503 or an answer, and each answer is true', {
  timeout: 600_000,
}, async () => {
  const { acknowledged, refused, unknownOutcomes, read, maxRecoveryTime, connections } = await runOutages(28)
  // Few writes are refused, since they wait for a new connection.
  assert.ok(acknowledged > 400 && refused > 5 && read > 400, `${acknowledged}, ${refused}, ${read}: too few`)
  assert.ok(unknownOutcomes < acknowledged / 20, `${unknownOutcomes} are unknown`)
  assert.ok(maxRecoveryTime <= 5000 && connections > 1)
})

const mutants: [name: string, file: string][] = [
  ['reports a write with an unknown outcome as failed', 'reports-failure.ts'],
  ['repeats such a write without checking its outcome', 'retries-unknown-outcome.ts'],
]
for (const [name, file] of mutants) {
  test(`the outage run finds a node that ${name}`, { timeout: 240_000 }, async () => {
    const mutant = join(import.meta.dirname, 'outage-mutants', file)
    await assert.rejects(
      runOutages(30, { kinds: ['lost commit answer'], mutant }),
      /was reported as|no answer reported it|UNIQUE|NOT_FOUND/,
    )
  })
}
