// `npm test`: every test but those of conformance/faults and conformance/packages, which `npm run faults`, `npm run samples` and
// `npm run packages` run. `npm test -- rest seed` runs the files with one of these words in their path, and prints all that they print.
// `npm test -- --times` prints the CPU time of each file at the end.

import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runTests } from './run-tests.ts'
import { chooseFiles, findTestFiles, isFaultTest, isPackageTest } from './test-files.ts'

const { values: flags, positionals: words } = parseArgs({
  options: { times: { type: 'boolean' } },
  allowPositionals: true,
})
const all = findTestFiles(join(import.meta.dirname, '..')).filter((file) => !isFaultTest(file) && !isPackageTest(file))

const passed = await runTests({
  files: chooseFiles(all, words, 'Tests of faults are run by: npm run faults -- WORD'),
  env: {},
  limitMinutes: 40,
  verbose: words.length > 0 && !flags.times,
  times: flags.times ?? false,
})
process.exitCode = passed ? 0 : 1
