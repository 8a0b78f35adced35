// `npm run faults`: the tests of conformance/faults, but for those of mutants, which `npm run samples` runs. Servers and databases are
// killed, cut off, frozen or overloaded while clients write. `npm run soak` runs the same with full figures.
//
// `npm run faults -- kills webhooks` runs the files with one of these words in their path.

import { join } from 'node:path'
import { runTests } from './run-tests.ts'
import { chooseFiles, findTestFiles, isFaultTest, isMutantTest } from './test-files.ts'

const words = process.argv.slice(2)
const all = findTestFiles(join(import.meta.dirname, '..')).filter((file) => isFaultTest(file) && !isMutantTest(file))

const passed = await runTests({
  files: chooseFiles(
    all,
    words,
    'Mutants and all samples are run by: npm run samples -- WORD; others by: npm test -- WORD',
  ),
  env: { TWAIN_SAMPLES: 'all' },
  limitMinutes: 15,
  verbose: words.length > 0,
})
process.exitCode = passed ? 0 : 1
