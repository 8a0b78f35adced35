// stores: postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runLateCommits } from './run-late-commits.ts'

test('20,000 late commits on several nodes, one of them killed, are read once each and in order', async () => {
  const { commits, naiveMissed, resumes } = await runLateCommits(20_000)
  assert.ok(commits >= 20_000)
  assert.ok(
    naiveMissed > 100,
    `the naive reader missed ${naiveMissed}: the commits were not late enough to show anything`,
  )
  assert.ok(resumes > 20)
})
