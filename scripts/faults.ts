// `npm run faults`: what is too long for `npm test`. `npm run faults -- kills webhooks` runs the files with one of these words in
// their path.
//
// - The tests of conformance/faults: servers and databases are killed, cut off, frozen or overloaded while clients write, and the
//   code has known bugs that the suite must find. `npm run soak` runs the same with full figures.
// - The tests that take a share of their samples in `npm test`, with all of them.

import { join } from 'node:path'
import { runTests } from './run-tests.ts'
import { chooseFiles, findTestFiles, isFaultTest } from './test-files.ts'

const words = process.argv.slice(2)
const found = findTestFiles(join(import.meta.dirname, '..'))
const sampled = found.filter(({ allSamples }) => allSamples.length > 0)
const all = [
  ...found.filter(isFaultTest),
  ...sampled.map((file) => ({ ...file, stores: file.allSamples, isAlone: true })),
]

const passed = await runTests({
  files: chooseFiles(all, words, 'All other tests are run by: npm test -- WORD'),
  env: { TWAIN_SAMPLES: 'all' },
  limitMinutes: 15,
  verbose: words.length > 0,
})
process.exitCode = passed ? 0 : 1
