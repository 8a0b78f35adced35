// Locked accounts × APIs × viewers: who reads `_lockedAt`, filters and sorts by it, and who locks which account, is as the reference
// rules say.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { system } from '../../packages/twain/src/base/http/index.ts'
import { runReads } from './cells/run-cells.ts'
import { statusOf } from './cells/write-cells.ts'
import { ReferenceRules } from './reference-rules.ts'
import type { RuleSchema } from './rule-schemas.ts'
import { openRulesFixture, type RulesFixture } from './rules-fixture.ts'

/** Administrators update all accounts but Cat's, editors update them too, and notes of a locked account are its owner's alone. */
const schema: RuleSchema = {
  name: 'locked accounts',
  sdl: `type User @account(login: "name") @allow(to: [READ], where: {name: {ne: "bob"}}) @allow(who: "self")
      @allow(role: "admin", to: [READ]) @allow(role: "admin", to: [UPDATE], where: {name: {ne: "cat"}})
      @allow(role: "editor", to: [READ, UPDATE]) {
      id: ID! name: String! @unique roles: [String!] notes: [Note!]!
    }
    type Note @allow(who: "owner") @allow(to: [READ], where: {owner: {_lockedAt: {isNull: true}}}) {
      id: ID! title: String! owner: User!
    }`,
  rows: [
    ['User', { id: 'ann', name: 'ann', roles: [] }],
    ['User', { id: 'bob', name: 'bob', roles: [] }],
    ['User', { id: 'cat', name: 'cat', roles: [] }],
    ['User', { id: 'dan', name: 'dan', roles: ['admin'] }],
    ['User', { id: 'eve', name: 'eve', roles: ['editor'] }],
    ['Note', { id: 'n1', title: 'first', owner: 'ann' }],
    ['Note', { id: 'n2', title: 'second', owner: 'bob' }],
    ['Note', { id: 'n3', title: 'third', owner: 'eve' }],
  ],
}

test('each API shows each viewer the times of locks, and filters and sorts by them, as the reference rules say', async () => {
  const fixture = await openRulesFixture(schema)
  try {
    const users = fixture.rows.resource('User')
    for (const id of ['bob', 'eve']) {
      await lock(fixture, id, true)
      const stored = (await fixture.dump()).User!.find((row) => row.id === id)!
      assert.equal(typeof stored._lockedAt, 'string')
      fixture.rows.put(users, stored)
    }
    const { cells, differences } = await runReads(fixture, { every: 6 })
    assert.ok(cells > 200, String(cells))
    assert.deepEqual(differences.slice(0, 5), [], `${differences.length} of ${cells} cells differ`)
  } finally {
    await fixture.apis.close()
  }
})

test('each API lets exactly those lock and unlock whom the reference rules allow', async () => {
  const fixture = await openRulesFixture(schema)
  const differences: string[] = []
  let cells = 0
  try {
    for (const { name, viewer } of fixture.viewers) {
      const reference = new ReferenceRules(fixture.rows, viewer)
      for (const id of ['ann', 'bob', 'cat', 'dan', 'nothing']) {
        for (const [was, locked] of [
          [false, true],
          [true, false],
        ] as const) {
          const status = expectedStatus(reference, id, locked)
          for (const api of ['rest', 'graphql'] as const) {
            if (id !== 'nothing') await lock(fixture, id, was)
            cells++
            const got = await send(fixture, viewer, id, locked, api)
            const is = await isLocked(fixture, id)
            const stands = id === 'nothing' ? null : status === 200 ? locked : was
            if (got !== status || is !== stands)
              differences.push(`${name} ${api} ${id} ${locked}: ${got}, not ${status}; is ${is}, not ${stands}`)
          }
        }
        if (id !== 'nothing') await lock(fixture, id, false)
      }
    }
    assert.ok(cells > 150, String(cells))
    assert.deepEqual(differences.slice(0, 5), [], `${differences.length} of ${cells} cells differ`)
  } finally {
    await fixture.apis.close()
  }
})

/** Whoever may update the account and has the role admin, but nobody locks themselves (docs/reference/rest.md, R265). */
function expectedStatus(reference: ReferenceRules, id: string, locked: boolean): number {
  const { world, viewer } = reference
  const of = world.resource('User')
  if (!viewer.authenticated && !reference.could('UPDATE', of)) return 401
  if (!viewer.roles.includes('admin')) return 403 // whether there is such an account or not
  const spot = world.find(of, id)
  if (spot === undefined || !reference.may('READ', spot)) return 404
  if (!reference.may('UPDATE', spot)) return 403
  return locked && viewer.account === id ? 409 : 200
}

async function send(
  { apis }: RulesFixture,
  viewer: RulesFixture['viewers'][number]['viewer'],
  id: string,
  locked: boolean,
  api: 'rest' | 'graphql',
): Promise<number> {
  const client = apis.as(viewer)
  if (api === 'rest') return (await client.rest('PATCH', `/users/${id}`, { _locked: locked })).status
  const query = 'mutation ($id: ID!, $locked: Boolean) { updateUser(id: $id, _locked: $locked) { id } }'
  const { data, errors } = await client.graphql(query, { id, locked })
  return data?.updateUser ? 200 : statusOf(errors[0])
}

async function lock({ apis }: RulesFixture, id: string, locked: boolean): Promise<void> {
  const { status, body } = await apis.as(system).rest('PATCH', `/users/${id}`, { _locked: locked })
  assert.equal(status, 200, JSON.stringify(body))
}

async function isLocked({ apis }: RulesFixture, id: string): Promise<boolean | null> {
  const { status, body } = await apis.as(system).rest('GET', `/users/${id}?fields=_lockedAt`)
  return status === 404 ? null : (body as { _lockedAt: string | null })._lockedAt !== null
}
