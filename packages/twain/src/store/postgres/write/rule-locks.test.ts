// A write is judged by rules that read other rows. What another write takes away from those rows first counts, and what it takes
// away later waits. One node and two write to one database; SQLite has one writer.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { defaultLimits } from '#plan'
import { openStore } from '../../databases.ts'
import { type Json, openTestStore, silent, type TestStore } from '../../store.fixture.ts'

const sdl = `
  type User @account(login: "name") @allow(to: [READ]) @allow(who: "self") { id: ID! name: String! @unique }
  type Order
    @allow(who: "customer", to: [READ, CREATE])
    @allow(who: "customer", where: {status: {eq: CART}})
    @allow(role: "staff") {
    id: ID! customer: User! @default(value: VIEWER) status: Status! @default(value: CART)
    lines: [Line!]!
  }
  enum Status { CART @next(to: [PAID], who: "customer") PAID }
  type Line @allow(who: "order") { id: ID! order: Order! @relation(onDelete: CASCADE) what: String! }
  type Club @allow(who: "signedIn", to: [READ]) @allow(who: "boss") {
    id: ID! boss: User! @default(value: VIEWER) name: String members: [User!]! bans: [Ban!]! memberships: [Membership!]!
  }
  type Ban @allow(who: "club.boss") { id: ID! club: Club! user: User! }
  type Membership @allow(who: "club.boss") { id: ID! club: Club! user: User! }
  type Entry @allow(to: [READ]) @allow(who: "club.members", to: [CREATE, UPDATE]) { id: ID! club: Club! @immutable text: String! }
  type Notice @allow(to: [READ]) @allow(who: "club.memberships.user", to: [CREATE]) { id: ID! club: Club! @immutable }
  type Remark @allow(to: [READ]) @allow(who: "signedIn", where: {club: {bans: {none: {user: {isViewer: true}}}}}) {
    id: ID! club: Club! @immutable
  }
  type Ticket @allow { id: ID! gate: Gate! state: State! @default(value: WAITS) }
  enum State { WAITS @next(to: [ENTERED], where: {gate: {isOpen: {eq: true}}}) ENTERED }
  type Gate @allow { id: ID! isOpen: Boolean! @default(value: true) }
  type Album @allow(who: "boss") @allow(who: "members", to: [READ]) {
    id: ID! boss: User! @default(value: VIEWER) members: [User!]! cover: File
  }
  type Pin @allow(who: "signedIn", to: [CREATE]) { id: ID! image: File! }
  type Person @allow @softDelete(keep: "1d") { id: ID! name: String }
  type Project @allow { id: ID! tasks: [Task!]! }
  type Task @allow { id: ID! project: Project! @immutable assignee: Person }
  type Release @allow(to: [READ]) @allow(who: "signedIn", where: {project: {tasks: {every: {assignee: {isNull: false}}}}}) {
    id: ID! project: Project! @immutable
  }
`

interface Race {
  title: string
  /** Makes the rows of one round. */
  prepare(): Promise<Json>
  write(made: Json): Promise<unknown>
  /** Takes away what allows the write. Returns the changed row. */
  takeAway(made: Json): Promise<unknown>
  /** The same in the database. */
  takeAwaySql(made: Json): string
  refusal: string
}

describe('a write whose rules another write makes untrue', () => {
  let store: TestStore
  let nodes: TestStore[]
  before(async () => {
    store = (await openTestStore(sdl, { on: 'postgres' })).as(null)
    const more = { poolSize: 8, model: store.model, sdl, limits: defaultLimits, log: silent }
    nodes = [store, store.withStore(await openStore({ ...store.place, ...more }))]
    for (const id of ['ann', 'bob']) await store.replace('User', id, { name: id })
    await store.create('Order', { customer: 'ann', status: 'PAID' })
  })
  after(async () => {
    await nodes[1]!.store.close()
    await store.close()
  })

  let number = 0
  let nodeCount = 2
  const by = (account: string) => nodes[number++ % nodeCount]!.as({ account })
  const club = async (): Promise<Json> => {
    const { id } = await store.create('Club', { boss: 'ann', members: ['bob'] })
    const { id: membership } = await store.create('Membership', { club: id, user: 'bob' })
    return { id, membership, entry: (await store.create('Entry', { club: id, text: '' })).id }
  }
  const order = async (): Promise<Json> => ({ id: (await store.create('Order', { customer: 'ann' })).id })
  const ticket = async (): Promise<Json> => {
    const { id } = await store.create('Gate', {})
    return { id, ticket: (await store.create('Ticket', { gate: id })).id }
  }
  let files = 0
  const album = async (): Promise<Json> => {
    const file = `f${files++}`
    await store.raw!.query(
      `INSERT INTO twain_file (id, name, media_type, size, bytes, uploader, created) VALUES ('${file}', 'a', 'text/plain', 1, '${file}', 'ann', now())`,
    )
    const { id } = await store.as({ account: 'ann' }).create('Album', { members: ['bob'], cover: file })
    return { id, file }
  }

  const project = async (): Promise<Json> => {
    const { id: assignee } = await store.create('Person', {})
    const { id } = await store.create('Project', {})
    return { id, assignee, task: (await store.create('Task', { project: id, assignee })).id }
  }

  const races: Race[] = [
    {
      title: 'lines of an order that is paid',
      prepare: order,
      write: ({ id }) => by('ann').create('Line', { order: id, what: 'x' }),
      takeAway: ({ id }) => by('ann').update('Order', String(id), { status: 'PAID' }),
      takeAwaySql: ({ id }) =>
        `UPDATE "Order" SET status = (SELECT status FROM "Order" WHERE status <> o.status LIMIT 1) FROM "Order" AS o WHERE "Order".id = o.id AND o.id = '${id}'`,
      refusal: 'FORBIDDEN',
    },
    {
      title: 'a removed member creates',
      prepare: club,
      write: ({ id }) => by('bob').create('Entry', { club: id, text: 'x' }),
      takeAway: ({ id }) => by('ann').update('Club', String(id), { members: [] }),
      takeAwaySql: ({ id }) => `DELETE FROM "Club_members" WHERE left_id = '${id}'`,
      refusal: 'FORBIDDEN',
    },
    {
      title: 'a removed member updates',
      prepare: club,
      write: ({ entry }) => by('bob').update('Entry', String(entry), { text: `x${number}` }),
      takeAway: ({ id }) => by('ann').update('Club', String(id), { members: [] }),
      takeAwaySql: ({ id }) => `DELETE FROM "Club_members" WHERE left_id = '${id}'`,
      refusal: 'FORBIDDEN',
    },
    {
      title: 'a member by a row that is deleted',
      prepare: club,
      write: ({ id }) => by('bob').create('Notice', { club: id }),
      takeAway: async ({ membership }) => {
        await by('ann').delete('Membership', String(membership))
        return { id: membership }
      },
      takeAwaySql: ({ membership }) => `DELETE FROM "Membership" WHERE id = '${membership}'`,
      refusal: 'FORBIDDEN',
    },
    {
      title: 'somebody who is banned',
      prepare: club,
      write: ({ id }) => by('bob').create('Remark', { club: id }),
      takeAway: ({ id }) => by('ann').create('Ban', { club: id, user: 'bob' }),
      takeAwaySql: ({ id }) =>
        `${lockList('Ban.club', id)}; INSERT INTO "Ban" (id, _version, club, "user") VALUES ('b${id}', 1, '${id}', 'bob')`,
      refusal: 'FORBIDDEN',
    },
    {
      title: 'a transition whose condition is about another row',
      prepare: ticket,
      write: ({ ticket: id }) => by('bob').update('Ticket', String(id), { state: 'ENTERED' }),
      takeAway: ({ id }) => by('ann').update('Gate', String(id), { isOpen: false }),
      takeAwaySql: ({ id }) => `UPDATE "Gate" SET "isOpen" = FALSE WHERE id = '${id}'`,
      refusal: 'CONFLICT',
    },
    {
      title: 'a file of a row that is no longer shared',
      prepare: album,
      write: ({ file }) => by('bob').create('Pin', { image: file }),
      takeAway: ({ id }) => by('ann').update('Album', String(id), { members: [] }),
      takeAwaySql: ({ id }) => `DELETE FROM "Album_members" WHERE left_id = '${id}'`,
      refusal: 'CONFLICT',
    },
    {
      title: 'a list of which a row loses a reference, since another row is deleted',
      prepare: project,
      write: ({ id }) => by('bob').create('Release', { project: id }),
      takeAway: async ({ assignee, task }) => {
        await by('ann').delete('Person', String(assignee))
        return { id: task }
      },
      takeAwaySql: ({ id, task }) =>
        `${lockList('Task.project', id)}; UPDATE "Task" SET assignee = NULL WHERE id = '${task}'`,
      refusal: 'FORBIDDEN',
    },
  ]

  for (const { title, prepare, write, takeAwaySql, refusal } of races) {
    test(`waits, and is refused: ${title}`, async () => {
      await write(await prepare()) // it is allowed, and its statements are prepared
      const made = await prepare()
      const raw = store.raw!
      await raw.query('BEGIN')
      for (const sql of takeAwaySql(made).split('; ')) await raw.query(sql)
      let isDone = false
      const outcome = write(made).then(
        () => 'ok',
        ({ code }) => code,
      )
      void outcome.finally(() => {
        isDone = true
      })
      while (!isDone && (await raw.query('SELECT 1 FROM pg_locks WHERE NOT granted')).length === 0) {
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      await raw.query('COMMIT')
      assert.equal(await outcome, refusal)
    })
  }

  const counted = races.flatMap((race) => [1, 2].map((count) => ({ ...race, count })))
  for (const { title, prepare, write, takeAway, count } of counted) {
    test(`none comes later, on ${count === 1 ? 'one node' : 'two nodes'}: ${title}`, async () => {
      nodeCount = count
      const rounds = Number(process.env.TWAIN_RACES ?? 8)
      const late: number[] = []
      for (let round = 0; round < rounds; round++) {
        const made = await prepare()
        const writes = Array.from({ length: 6 }, () => write(made))
        const outcomes = await Promise.allSettled([takeAway(made), ...writes])
        const [taken, ...written] = outcomes.map((one) => (one.status === 'fulfilled' ? (one.value as Json).id : null))
        const last = 'SELECT id FROM twain_change ORDER BY n DESC LIMIT 20' // those of one round
        const changed = (await store.query(last)).map(({ id }) => id).reverse()
        const end = changed.lastIndexOf(taken)
        assert.ok(end >= 0)
        if (changed.slice(end).some((id) => id !== taken && written.includes(id))) late.push(round)
      }
      assert.deepEqual(late, [])
    })
  }

  const changes: Record<string, (made: Json) => Promise<unknown>> = {
    'an update': ({ task }) => by('ann').update('Task', String(task), { assignee: null }),
    'a delete of what it refers to': ({ assignee }) => by('ann').delete('Person', String(assignee)),
    'a restore of what it referred to': async ({ assignee }) => {
      await store.delete('Person', String(assignee))
      return by('ann').restore('Person', String(assignee))
    },
  }
  for (const [title, change] of Object.entries(changes)) {
    test(`a row of a list changes only after the writes that rely on the list: ${title}`, async () => {
      const made = await project()
      const raw = store.raw!
      await raw.query('BEGIN')
      await raw.query(lockList('Task.project', made.id, '_shared'))
      let isDone = false
      const outcome = change(made).finally(() => {
        isDone = true
      })
      while (!isDone && (await raw.query('SELECT 1 FROM pg_locks WHERE NOT granted')).length === 0) {
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      assert.equal(isDone, false)
      await raw.query('COMMIT')
      await outcome
    })
  }
})

function lockList(name: string, owner: unknown, kind = ''): string {
  return `SELECT pg_advisory_xact_lock${kind}(hashtextextended(current_schema() || '.${name}:${owner}', 0))`
}
