// Many accounts at once beside custom code, with the hashes that a server stores.
// stores: sqlite, postgres
// process: own

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startTestService } from '../../packages/twain/src/cli/testing/index.ts'
import { makeTestPlace } from '../../packages/twain/src/store/test-place.fixture.ts'

const schema = `
type User @account @allow(to: [READ, CREATE]) { id: ID! email: String! @unique }
type Note @allow { id: ID! text: String! }
`
const config = 'export default { before: { User() {} }, after: { async Note() {} } }'
const seed = `export async function seed(make) {
  await Promise.all([1, 2, 3].map((n) => make('User', { email: \`seed\${n}@example.org\`, password: 'a password of a seed' })))
}`

test('seeds, people of tests and forty sign-ups at once all succeed', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-sign-ups-'))
  const { place, drop } = await makeTestPlace('')
  for (const [name, text] of Object.entries({ 'schema.graphql': schema, 'twain.config.ts': config, 'seed.ts': seed }))
    writeFileSync(join(folder, name), text)
  const service = await startTestService({
    schema: join(folder, 'schema.graphql'),
    seed: join(folder, 'seed.ts'),
    settings: { 'limits.timeSeconds': 200 }, // hashes are made one after another, on a machine that may be busy
    log: () => {},
    ...(place.database === null ? {} : { database: place.database }),
  })
  t.after(async () => {
    await service.close()
    await drop()
    rmSync(folder, { recursive: true })
  })
  await Promise.all(['ann', 'bob', 'cat', 'dan', 'eva'].map((name) => service.as(name)))
  const statuses = await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      const { status } = await service.anonymous.post('/users', {
        email: `n${index}@example.org`,
        password: 'a long one',
      })
      return status
    }),
  )
  assert.deepEqual(
    statuses,
    Array.from({ length: 40 }, () => 201),
  )
})
