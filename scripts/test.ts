// `npm test`: every test but those of conformance/faults, which `npm run faults` runs. `npm test -- rest seed` runs the files with
// one of these words in their path, and prints all that they print.

import { join } from 'node:path'
import { runTests } from './run-tests.ts'
import { chooseFiles, findTestFiles, isFaultTest } from './test-files.ts'

/** The folders with most files. To start a process takes five times as long as the tests of one of their files. */
const inOneProcess = ['base', 'model', 'plan', 'rest', 'graphql'].map((module) => `packages/twain/src/${module}`)

const words = process.argv.slice(2)
const all = findTestFiles(join(import.meta.dirname, '..')).filter((file) => !isFaultTest(file))
const empty = inOneProcess.filter((folder) => !all.some(({ path }) => path.startsWith(`${folder}/`)))
if (empty.length > 0) throw new Error(`No test is in ${empty.join(', ')}: correct inOneProcess in scripts/test.ts.`)

const passed = await runTests({
  files: chooseFiles(all, words, 'Tests of faults are run by: npm run faults -- WORD'),
  inOneProcess,
  limitMinutes: 30,
  verbose: words.length > 0,
})
process.exitCode = passed ? 0 : 1
