// `npm run packages`: builds the npm packages, lints and packs them, installs them in empty folders outside of the repository, and
// runs the tests of conformance/packages there.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from './build/build.ts'
import { lintPackage } from './build/lint-package.ts'
import { packFolder } from './build/pack.ts'
import { runTests } from './run-tests.ts'
import { findTestFiles, isPackageTest } from './test-files.ts'

const root = join(import.meta.dirname, '..')
const folders = await build()
const folder = mkdtempSync(join(tmpdir(), 'twain-packages-'))
try {
  const problems: string[] = []
  for (const source of folders) {
    const tarball = packFolder(source, folder)
    problems.push(...(await lintPackage(source, tarball)))
  }
  for (const problem of problems) console.error(`✖ ${problem}`)
  const files = findTestFiles(root).filter(isPackageTest)
  const env = { TWAIN_TARBALLS: folder }
  const passed = await runTests({ files, env, limitMinutes: 10, verbose: process.argv.includes('--verbose') })
  process.exitCode = passed && problems.length === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true })
}
