// `twain copy` of a service that was rolled back: the copy has what the newer schema wrote.
// stores: sqlite + postgres

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { plainRequest } from '../../packages/twain/src/base/http/index.ts'
import type { Service } from '../../packages/twain/src/main/index.ts'
import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { type Ask, setUpCopy } from './copy-fixture.ts'

const older = `
type Star @allow { id: ID!, name: String! @search }
`

const newer = `
enum Class { O B }
type Orbit { days: Float!, inside: [Int!] }
interface Body { id: ID! }
type Star implements Body @allow {
  id: ID!
  name: String! @search
  colour: String @search @index
  level: Int! @default(value: 3)
  bright: Boolean @default(value: true)
  mass: Float @index
  price: Decimal
  class: Class @default(value: B)
  facts: JSON
  names: [String!]
  seen: Date
  picture: File
  near: [Body!]!
}
type Planet implements Body @allow { id: ID!, star: Star!, name: String @unique, orbit: Orbit, friends: [Planet!]! }
`

const sources = ['sqlite', 'postgres'] as const
const targets = ['sqlite', 'postgres'] as const

for (const from of sources)
  for (const to of targets)
    test(`after a rollback, a copy from ${from} to ${to} has everything that the newer schema wrote`, async (t) => {
      const { serve, twain, ask, place } = await setUpVersions(t)
      const [source, target] = [await place(from, 'source'), await place(to, 'target')]
      await (await serve(source, older)).close()
      const late = await serve(source, newer)
      await fill(late, ask)
      await late.close()
      const rolledBack = await serve(source, older)
      assert.equal((await ask(rolledBack, 'PUT', '/stars/c', { name: 'Castor' })).status, 201)
      await rolledBack.close()

      const { code, err } = await twain('copy', '--move', '--from', addressOf(source), '--to', addressOf(target))
      assert.equal(code, 0, err)
      assert.doesNotMatch(err, /Not copied/)
      // What only the newer schema knows can be written on the copy as on the original: with defaults, too.
      const copied = await serve(target, older)
      assert.equal((await ask(copied, 'PUT', '/stars/d', { name: 'Deneb' })).status, 201)
      await copied.close()

      const again = await serve(target, newer)
      const seen = await asSeen(again, ask)
      await again.close()
      const original = await serve(source, newer)
      assert.equal((await ask(original, 'PUT', '/stars/d', { name: 'Deneb' })).status, 201)
      assert.deepEqual(seen, await asSeen(original, ask))
      await original.close()
      const [stars, planets, found] = seen as [{ id: string; level: number }[], unknown[], unknown[]]
      assert.deepEqual(
        stars.map(({ id, level }) => [id, level]),
        [
          ['a', 9],
          ['b', 3],
          ['c', 3],
          ['d', 3],
        ],
      )
      assert.deepEqual([planets.length, found.length], [2, 1])
    })

test('a table or column that Twain did not create is named if it is not copied', async (t) => {
  const { serve, twain, place, database } = await setUpVersions(t)
  const [source, target] = [await place('postgres', 'source'), await place('sqlite', 'target')]
  await (await serve(source, older)).close()
  await database.raw.query(
    'CREATE TABLE ledger (n integer); ALTER TABLE "Star" ADD COLUMN amount numeric, ADD COLUMN remark text',
  )
  await database.raw.query(`INSERT INTO "Star" (id, _version, name, remark) VALUES ('x', 1, 'X', 'kept')`)
  const { code, err } = await twain('copy', '--move', '--from', addressOf(source), '--to', addressOf(target))
  assert.equal(code, 0, err)
  assert.match(err, /\nNot copied, because Twain did not create it: column Star\.amount, table ledger\.\n$/)
  const file = new DatabaseSync(join(target.data, 'twain.db'), { readOnly: true })
  assert.deepEqual({ ...file.prepare('SELECT remark FROM Star').get() }, { remark: 'kept' })
  file.close()
})

interface Place {
  data: string
  database?: string
}

async function setUpVersions(t: TestContext) {
  const fixture = await setUpCopy(t, older)
  const place = async (kind: 'sqlite' | 'postgres', name: string): Promise<Place> => {
    const data = join(fixture.folder, name)
    if (kind === 'sqlite') return { data }
    if (name === 'source') return { data, database: fixture.database.address }
    const other = await makeTestDatabase()
    t.after(() => other.drop())
    return { data, database: other.address }
  }
  return { ...fixture, place }
}

function addressOf({ data, database }: Place): string {
  return database ?? data
}

async function fill(service: Service, ask: Ask): Promise<void> {
  const headers = { 'content-type': 'text/plain' }
  const upload = await service.handleAsSystem(plainRequest('POST', '/files', { headers, body: 'a picture' }))
  assert.equal(upload.status, 201)
  const picture = JSON.parse(String(upload.body)).id as string
  const rows: [string, object][] = [
    [
      '/stars/a',
      { name: 'Sirius', colour: 'white nebula', level: 9, bright: false, mass: 2.5e-7, price: '12.50', class: 'O' },
    ],
    ['/stars/b', { name: 'Rigel', facts: { z: [1, null], a: '\\' }, names: ['x', 'y'], seen: '2026-01-01', picture }],
    ['/planets/p', { star: 'a', name: 'P', orbit: { days: 4, inside: [1, 2] } }],
    ['/planets/q', { star: 'a', name: 'Q', friends: ['p'] }],
  ]
  for (const [path, body] of rows) {
    const reply = await ask(service, 'PUT', path, body)
    assert.equal(reply.status, 201, JSON.stringify(reply.body))
  }
  assert.equal((await ask(service, 'PATCH', '/stars/a', { near: ['Planet:p', 'Star:b'] })).status, 200)
}

async function asSeen(service: Service, ask: Ask): Promise<unknown[]> {
  const paths = [
    '/stars?sort=id',
    '/planets?sort=id',
    '/stars?search=nebula',
    '/stars?sort=id&fields=near.id,picture.size,picture.name',
    '/planets?sort=id&fields=friends.id,star.name',
  ]
  return Promise.all(
    paths.map(async (path) => {
      const { status, body } = await ask(service, 'GET', path)
      assert.equal(status, 200, JSON.stringify(body))
      return body
    }),
  )
}
