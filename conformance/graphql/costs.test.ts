// stores: none

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { propertySeed } from '../generate/seed.ts'
import { compareCosts } from './compare-costs.ts'

test('depth and cost of 10,000 documents are those of their full expansion, counted the naive way', () => {
  const { overLimit } = compareCosts(10_000, propertySeed)
  assert.ok(overLimit > 500 && overLimit < 9_500, `${overLimit} are over a limit`)
})
