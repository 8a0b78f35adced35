// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { ExternalIdentity } from '#auth'
import { plainRequest, system } from '#base/http'
import { createEngine } from '#engine'
import { loadModel } from '#model'
import { defaultLimits } from '#plan'
import { createRest } from '#rest'
import { openStore } from '#store'
import { makeTestPlace } from '#test-place'
import { createAccount } from './create-account.ts'

test('a new account gets its login, and the claims that every viewer may set', async (t) => {
  const { make, read } = await open(
    t,
    'name: String, paid: Boolean @allow(role: "admin", to: [CREATE]), roles: [String!]',
  )
  const claims = { sub: 'x', name: 'Ann', paid: true, roles: ['admin'], id: 'chosen', constructor: 'x' }
  const row = await read(await make({ subject: 'Ann@example.org', claims }))
  assert.deepEqual({ ...row, id: null }, { id: null, email: 'Ann@example.org', name: 'Ann', paid: null, roles: null })
  assert.notEqual(row.id, 'chosen')
})

test('missing fields are reported, and no account is created', async (t) => {
  const { make } = await open(t, 'name: String!')
  await assert.rejects(make({ subject: 'ann', claims: {} }), {
    code: 'FORBIDDEN',
    message: /No User can be created.*name/,
  })
  await assert.rejects(make({ subject: 'ann', claims: { name: { first: 'Ann' } } }), { code: 'FORBIDDEN' })
  await make({ subject: 'ann', claims: { name: 'Ann' } })
})

test('a login that looks like that of another account is a conflict', async (t) => {
  const { make, read } = await open(t, 'name: String')
  await make({ subject: 'Ann', claims: {} })
  for (const subject of ['ann', 'ANN', '\uff41nn', 'ann ', 'Ann\u200b']) {
    await assert.rejects(make({ subject, claims: {} }), { code: 'CONFLICT', message: /Another User has the email/ })
  }
  await assert.rejects(make({ subject: 'other', claims: { email: 'ANN' } }), { code: 'CONFLICT' })
  const row = await read(await make({ subject: 'u-7', claims: { email: 'bob@example.org' } }))
  assert.equal(row.email, 'bob@example.org')
})

async function open(t: TestContext, fields: string) {
  const data = mkdtempSync(join(tmpdir(), 'twain-account-'))
  const sdl = `type User @account @allow(who: "self") { id: ID!, email: String! @unique, ${fields} }`
  const model = loadModel(sdl, 'a.graphql')
  const log = { info() {}, warn() {}, error() {} }
  const { place, drop } = await makeTestPlace(data)
  const store = await openStore({ ...place, model, sdl, limits: defaultLimits, log })
  t.after(async () => {
    await store.close()
    await drop()
    rmSync(data, { recursive: true })
  })
  const engine = createEngine({ model, store, limits: defaultLimits })
  const rest = createRest(engine, null)
  return {
    make: ({ subject, claims }: Pick<ExternalIdentity, 'subject' | 'claims'>) =>
      createAccount(
        {
          issuer: 'https://id.example',
          subject,
          address: null,
          claims,
          roles: null,
          signedInAt: null,
          id: null,
          expires: 0,
        },
        engine,
      ),
    async read(id: string): Promise<Record<string, unknown>> {
      return JSON.parse(String((await rest(plainRequest('GET', `/users/${id}`), system)).body))
    },
  }
}
