import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { loadModel } from '#model'
import { command } from '../command.fixture.ts'

function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'twain-init-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

for (const template of ['minimal', 'react']) {
  test(`${template}: the schema file is fine, and every name is filled in`, async (t) => {
    const folder = join(makeFolder(t), 'Zoës app')
    const created = await command('init', folder, '--template', template)
    assert.equal(created.code, 0, created.err)
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    assert.match(created.out, new RegExp(`template ${template}: ${files.length} files`))
    for (const { parentPath, name } of files) {
      assert.doesNotMatch(name, /^_/)
      assert.doesNotMatch(readFileSync(join(parentPath, name), 'utf8'), /%(name|title|version|basePath)%/, name)
    }
    assert.equal(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).name, 'zoes-app')
    const { service } = loadModel(readFileSync(join(folder, 'schema.graphql'), 'utf8'), 'schema.graphql')
    assert.equal(service.name, 'Zoës app')
  })
}

test('a folder may have a repository, but no files', async (t) => {
  const folder = makeFolder(t)
  mkdirSync(join(folder, '.git'))
  assert.equal((await command('init', folder)).code, 0)
  const before = readdirSync(folder)
  writeFileSync(join(folder, 'README.md'), 'mine')
  const again = await command('init', folder)
  assert.deepEqual([again.code, /has files already/.test(again.err)], [1, true])
  assert.equal(readFileSync(join(folder, 'README.md'), 'utf8'), 'mine')
  assert.deepEqual(readdirSync(folder), before)
})

test('an unknown template is named, with the near one', async (t) => {
  const folder = join(makeFolder(t), 'app')
  const { code, err } = await command('init', folder, '--template', 'raect')
  assert.deepEqual([code, err], [2, 'error There is no template "raect". Did you mean "react"?\n'])
})
