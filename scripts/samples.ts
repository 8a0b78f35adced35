// `npm run samples`: how good the tests are, and what chance can find. Too long for `.ci/run`.
//
// - The tests that take a share of their random samples in `npm test`, with all of them.
// - conformance/faults/mutants: copies of the code with known bugs, which the suite must find.
//
// `npm run samples -- cells mutants` runs the files with one of these words in their path.

import { join } from 'node:path'
import { runTests } from './run-tests.ts'
import { chooseFiles, findTestFiles, isMutantTest } from './test-files.ts'

const words = process.argv.slice(2)
const found = findTestFiles(join(import.meta.dirname, '..'))
const sampled = found.filter(({ allSamples }) => allSamples.length > 0)
const all = [
  ...found.filter(isMutantTest),
  ...sampled.map((file) => ({ ...file, stores: file.allSamples, isAlone: true })),
]

const passed = await runTests({
  files: chooseFiles(all, words, 'All other tests are run by: npm test -- WORD'),
  env: { TWAIN_SAMPLES: 'all' },
  limitMinutes: 40,
  verbose: words.length > 0,
})
process.exitCode = passed ? 0 : 1
