// A write whose rules another write makes untrue at the same moment, over both APIs and, on PostgreSQL, two nodes: none comes after the
// write that took its right away. `TWAIN_RACES=1000` runs so many of each; `store/postgres/write/rule-locks.test.ts` tests the locks.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { connect } from '../../packages/twain/src/store/postgres/connect/connect.ts'
import { makeTestPlace, type TestPlace, testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { type Person, TestService } from '../harness/test-service.ts'

const sdl = `
  type User @account(login: "email") @allow(to: [READ, CREATE]) { id: ID! email: String! @unique name: String }
  type Order @allow(who: "customer", to: [READ, CREATE]) @allow(who: "customer", where: {status: {eq: CART}}) {
    id: ID! customer: User! @default(value: VIEWER) status: Status! @default(value: CART)
  }
  enum Status { CART @next(to: [PAID], who: "customer") PAID }
  type Line @allow(who: "order") { id: ID! order: Order! what: String! }
  type Club @allow(who: "signedIn", to: [READ]) @allow(who: "boss") {
    id: ID! boss: User! @default(value: VIEWER) bans: [Ban!]! memberships: [Membership!]!
  }
  type Ban @allow(who: "club.boss") { id: ID! club: Club! user: User! }
  type Membership @allow(who: "club.boss") { id: ID! club: Club! user: User! }
  type Notice @allow(to: [READ]) @allow(who: "club.memberships.user", to: [CREATE]) { id: ID! club: Club! @immutable }
  type Remark @allow(to: [READ]) @allow(who: "signedIn", where: {club: {bans: {none: {user: {isViewer: true}}}}}) {
    id: ID! club: Club! @immutable
  }
`

const rounds = Number(process.env.TWAIN_RACES ?? 8)

type Values = Record<string, string>

/** Returns the id of the row that was written; null if the write was refused because of a rule. */
type Write = (
  action: 'create' | 'update' | 'delete',
  type: string,
  id: string | null,
  values: Values,
) => Promise<string | null>

describe('a write beside the one that takes its right away', () => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-races-'))
  const closing: (() => unknown)[] = []
  let place: TestPlace
  let nodes: TestService[]
  let [ann, bob]: Person[] = []
  before(async () => {
    place = await makeTestPlace(folder)
    const t = { after: (close: () => unknown) => void closing.unshift(close) } as Parameters<typeof TestService.open>[0]
    nodes = [await TestService.open(t, sdl, { ...place.place, poolSize: 8 })]
    if (place.place.database !== null) nodes.push(await TestService.open(t, sdl, { ...place.place, poolSize: 8 }))
    ann = await nodes[0]!.signUp('ann')
    bob = await nodes[0]!.signUp('bob')
  })
  after(async () => {
    for (const close of closing) await close()
    await place.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  let turn = 0
  /** Each on another node. */
  const rest = (person: Person): Write => {
    const node = nodes[turn++ % nodes.length]!
    return async (action, type, id, values) => {
      const method = { create: 'POST', update: 'PATCH', delete: 'DELETE' }[action]
      const path = `/${type.toLowerCase()}s${id === null ? '' : `/${id}`}`
      const sent = action === 'delete' ? undefined : values
      const { status, body } = await node.send(method, path, sent, { authorization: person.authorization })
      if (status < 300) return id ?? body.id
      assert.ok([403, 404, 409].includes(status), JSON.stringify(body))
      return null
    }
  }
  const graphql = (person: Person): Write => {
    const node = nodes[turn++ % nodes.length]!
    return async (action, type, id, values) => {
      const input = Object.entries(values).map(
        ([name, value]) => `${name}: ${/^[A-Z]+$/.test(value) ? value : JSON.stringify(value)}`,
      )
      const parts = [...(id === null ? [] : [`id: "${id}"`]), ...(action === 'delete' ? [] : [`input: { ${input} }`])]
      const query = `mutation { row: ${action}${type}(${parts}) { id } }`
      const { body } = await node.send('POST', '/graphql', { query }, { authorization: person.authorization })
      if (body.errors === undefined) return body.data.row.id
      assert.match(body.errors[0].extensions.code, /^(FORBIDDEN|NOT_FOUND|CONFLICT)$/, JSON.stringify(body))
      return null
    }
  }
  const make = async (type: string, values: Values) => (await rest(ann!)('create', type, null, values))!

  const races: Record<
    string,
    () => Promise<{
      write(by: Write): Promise<string | null>
      takeAway(by: Write): Promise<string | null>
      author: Person
    }>
  > = {
    'lines of an order that is paid': async () => {
      const order = await make('Order', {})
      return {
        author: ann!,
        write: (by) => by('create', 'Line', null, { order, what: 'x' }),
        takeAway: (by) => by('update', 'Order', order, { status: 'PAID' }),
      }
    },
    'a member who is removed': async () => {
      const club = await make('Club', {})
      const membership = await make('Membership', { club, user: bob!.id })
      return {
        author: bob!,
        write: (by) => by('create', 'Notice', null, { club }),
        takeAway: (by) => by('delete', 'Membership', membership, {}),
      }
    },
    'somebody who is banned': async () => {
      const club = await make('Club', {})
      return {
        author: bob!,
        write: (by) => by('create', 'Remark', null, { club }),
        takeAway: (by) => by('create', 'Ban', null, { club, user: bob!.id }),
      }
    },
  }

  for (const [title, prepare] of Object.entries(races))
    test(title, async (t) => {
      const all: { taken: string; written: string[] }[] = []
      for (let round = 0; round < rounds; round++) {
        const { write, takeAway, author } = await prepare()
        const writes = Array.from({ length: 6 }, async (_, n) => {
          await pause(n) // the take-away falls among them
          return write((n % 2 === 0 ? rest : graphql)(author))
        })
        const [taken, ...written] = await Promise.all([takeAway((round % 2 === 0 ? rest : graphql)(ann!)), ...writes])
        assert.ok(taken !== null)
        all.push({ taken: taken!, written: written.filter((id) => id !== null) })
      }
      const changed = await changes(place)
      const late = all.filter(({ taken, written }) => written.some((id) => changed.get(id)! > changed.get(taken)!))
      assert.deepEqual(late, [])
      t.diagnostic(`${all.flatMap(({ written }) => written).length} of ${rounds * 6} writes came before`)
    })

  test('the write waits for a take-away that has not committed', { skip: testedStore === 'sqlite' }, async () => {
    const raw = connect(place.place.database!, { size: 1, time: 30 })
    try {
      for (const api of [rest, graphql]) {
        const club = await make('Club', {})
        const membership = await make('Membership', { club, user: bob!.id })
        await raw.query(`BEGIN; DELETE FROM "Membership" WHERE id = '${membership}'`)
        let isDone = false
        const written = api(bob!)('create', 'Notice', null, { club }).finally(() => {
          isDone = true
        })
        while (!isDone && (await raw.query('SELECT 1 FROM pg_locks WHERE NOT granted')).length === 0) await pause(5)
        await raw.query('COMMIT')
        assert.equal(await written, null)
      }
    } finally {
      await raw.end()
    }
  })
})

/** The place of the last change of each row in the log. */
async function changes({ place }: TestPlace): Promise<Map<string, number>> {
  const select = (position: string) => `SELECT id, max(${position}) AS n FROM twain_change GROUP BY id`
  if (place.database === null) {
    const database = new DatabaseSync(join(place.data, 'twain.db'), { readOnly: true })
    const rows = database.prepare(select('seq')).all()
    database.close()
    return new Map(rows.map(({ id, n }) => [String(id), Number(n)]))
  }
  const raw = connect(place.database, { size: 1, time: 30 })
  const rows = await raw.query(select('n')).finally(() => raw.end())
  return new Map(rows.map(({ id, n }) => [String(id), Number(n)]))
}
