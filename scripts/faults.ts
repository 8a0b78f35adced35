// `npm run faults`: the tests of conformance/faults: servers and databases that are killed, cut off, frozen or overloaded while
// clients write. `npm run faults -- kills webhooks` runs the files with one of these words in their path. `npm run soak` runs the
// same with full figures.

import { join } from 'node:path'
import { runTests } from './run-tests.ts'
import { chooseFiles, findTestFiles, isFaultTest } from './test-files.ts'

const words = process.argv.slice(2)
const all = findTestFiles(join(import.meta.dirname, '..')).filter(isFaultTest)

const passed = await runTests({
  files: chooseFiles(all, words, 'All other tests are run by: npm test -- WORD'),
  inOneProcess: [],
  limitMinutes: 10,
  verbose: words.length > 0,
})
process.exitCode = passed ? 0 : 1
