// stores: none
// all samples: none

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { samples } from '../generate/samples.ts'
import { propertySeed } from '../generate/seed.ts'
import { compareCosts } from './compare-costs.ts'

const documents = samples(2_000, 10_000)

test(`depth and cost of ${documents} documents are those of their full expansion, counted the naive way`, () => {
  const { overLimit } = compareCosts(documents, propertySeed)
  assert.ok(overLimit > documents / 20 && overLimit < (documents * 19) / 20, `${overLimit} are over a limit`)
})
