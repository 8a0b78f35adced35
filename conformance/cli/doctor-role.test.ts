// What `twain doctor` says about the role that it connects as.
// stores: postgres

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { command } from '../../packages/twain/src/cli/command.fixture.ts'
import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'

test('a role that may not set deadlock_timeout is told which grant is missing', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-doctor-'))
  const { raw, address: place, drop } = await makeTestDatabase()
  const role = `twain_plain_${process.pid}`
  await raw.query(`CREATE ROLE ${role}`)
  t.after(async () => {
    await raw.query(`DROP ROLE ${role}`)
    await drop()
    rmSync(folder, { recursive: true })
  })
  const file = join(folder, 'schema.graphql')
  writeFileSync(file, 'type Note @allow { id: ID! }')
  const address = new URL(place)
  address.searchParams.set('role', role)
  const { out } = await command('doctor', file, '--database', address.href, '--port', '0')
  const missing =
    /! The user may not set deadlock_timeout: .*\n {2}(GRANT SET ON PARAMETER|ALTER ROLE … SET) deadlock_timeout/
  assert.match(out, missing)
})
