import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextVersion, releaseChangelog, setVersions } from './versions.ts'

test('the next version', () => {
  assert.deepEqual(
    ['major', 'minor', 'patch', '2.0.0-beta.1'].map((step) => nextVersion('1.2.3', step)),
    ['2.0.0', '1.3.0', '1.2.4', '2.0.0-beta.1'],
  )
  assert.throws(() => nextVersion('1.2.3', 'big'), /"big" is no version/)
})

test('a package.json has the version, and our packages that it depends on', () => {
  const manifest = `{
  "name": "x",
  "version": "0.1.0",
  "dependencies": { "twain": "0.1.0", "@twain/client": "0.1.0", "graphql": "0.1.0" }
}`
  assert.deepEqual(JSON.parse(setVersions(manifest, '0.2.0')), {
    name: 'x',
    version: '0.2.0',
    dependencies: { twain: '0.2.0', '@twain/client': '0.2.0', graphql: '0.1.0' },
  })
})

test('the unreleased part of the changelog gets the version', () => {
  const { text, part } = releaseChangelog(
    '# Changelog\n\n## Unreleased\n\n- A\n\n## 0.1.0\n\n- B\n',
    '0.2.0',
    '2026-11-16',
  )
  assert.equal(text, '# Changelog\n\n## 0.2.0 (2026-11-16)\n\n- A\n\n## 0.1.0\n\n- B\n')
  assert.equal(part, '## 0.2.0 (2026-11-16)\n\n- A')
  assert.throws(() => releaseChangelog('# Changelog\n\n## 0.1.0\n', '0.2.0', '2026-11-16'), /no unreleased part/)
})
