// docs/guide, walked: each block of each page is run as its reader would, and prints what the page shows. TypeScript files of the
// pages are type-checked together at the end. The tutorial starts with `npm create`, so conformance/packages walks it.
// stores: sqlite + postgres
// process: own (it takes the longest)

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { twainModules } from '../harness/twain-modules.ts'
import { noCurl } from './no-curl.ts'
import { makeDatabases } from './page-databases.ts'
import { stepsOf } from './page-steps.ts'
import { shownDatabase, walkPage } from './walk-page.ts'

const root = join(import.meta.dirname, '../..')
const guide = join(root, 'docs/guide')
const shell = promisify(execFile)

describe('docs/guide', { skip: noCurl }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-guide-'))
  // As in the clone.
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  symlinkSync(twainModules, join(folder, 'node_modules'))
  after(() => rmSync(folder, { recursive: true }))

  const pages = globSync('*.md', { cwd: guide }).filter((file) => file !== 'tutorial.md')
  // A page mostly waits for its commands.
  describe('pages', { concurrency: 3 }, () => {
    for (const file of pages.sort()) test(file, { timeout: 180_000 }, () => walk(file))
  })

  test('the TypeScript of the pages has the types that it should', { timeout: 180_000 }, async () => {
    const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'))
    const config = { compilerOptions: { ...compilerOptions, jsx: 'react-jsx' }, include: ['*/**/*.ts', '*/**/*.tsx'] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const tsc = (...flags: string[]) => shell(join(root, 'node_modules/.bin/tsc'), ['-p', folder, ...flags])
    const { stdout } = await tsc('--listFilesOnly')
    const files = stdout.split('\n').filter((file) => file.startsWith(folder))
    assert.ok(files.length >= 9, files.join(', '))
    await tsc().catch(({ stdout }) => assert.fail(stdout))
  })

  async function walk(file: string): Promise<void> {
    const own = join(folder, basename(file, '.md'))
    mkdirSync(own)
    const page = readFileSync(join(guide, file), 'utf8')
    const postgres = page.search(shownDatabase) !== -1 ? await makeDatabases() : null
    try {
      await walkPage(stepsOf(page), { folder: own, postgres })
    } finally {
      await postgres?.drop()
    }
  }
})
