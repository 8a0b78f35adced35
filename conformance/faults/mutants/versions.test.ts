// Shows that the sequences of versions/sequences.test.ts find the bugs that they were written for: each is brought back, and found.
// stores: postgres (nodes of several versions run at once)

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { versionMutants } from './version-mutants.ts'

const hook = pathToFileURL(join(import.meta.dirname, 'mutate-source.ts')).href
const command = join(import.meta.dirname, '../../soak/versions.ts')
/** No time to shrink what is found. */
const [sequences, shrinkSeconds] = ['50', '0']

for (const { name, firstSeed = 1000 } of versionMutants) {
  test(`the sequences find ${name}`, { timeout: 200_000 }, (t) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', hook, command, sequences, String(firstSeed), shrinkSeconds],
      { env: { ...process.env, TWAIN_MUTANT: name, TWAIN_TEST_STORE: 'postgres' }, encoding: 'utf8' },
    )
    assert.equal(status, 1, `${stdout}\n${stderr}`)
    const found = /^seed \d+ .*$/m.exec(stdout)
    assert.ok(found, `${stdout}\n${stderr}`)
    t.diagnostic(found[0].slice(0, 300))
  })
}
