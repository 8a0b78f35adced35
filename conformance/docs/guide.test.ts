// docs/guide, walked: each block of each page is run as its reader would, and prints what the page shows. TypeScript files of the
// pages are type-checked together at the end.
// stores: sqlite + postgres

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { noCurl } from './no-curl.ts'
import { stepsOf } from './page-steps.ts'
import { shownDatabase, walkPage } from './walk-page.ts'

const root = join(import.meta.dirname, '../..')
const guide = join(root, 'docs/guide')
const shell = promisify(execFile)

describe('docs/guide', { skip: noCurl }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-guide-'))
  // As in the clone.
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  after(() => rmSync(folder, { recursive: true }))

  for (const file of globSync('*.md', { cwd: guide }).sort()) {
    test(file, { timeout: 180_000 }, () => walk(file))
  }

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
    const postgres = page.includes(shownDatabase) ? await makeDatabase() : null
    try {
      await walkPage(stepsOf(page), { folder: own, postgres })
    } finally {
      await postgres?.drop()
    }
  }
})

/** A name for a database that the page creates. */
async function makeDatabase() {
  const beside = await makeTestDatabase()
  const name = `guide_${randomUUID().replaceAll('-', '')}`
  const address = new URL(beside.address)
  address.pathname = `/${name}`
  address.searchParams.delete('search_path')
  return {
    address: address.href,
    run: async (sql: string) => void (await beside.raw.query(sql.replace(/\bshop\b/, name))),
    drop: async () => {
      await beside.raw.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      await beside.drop()
    },
  }
}
