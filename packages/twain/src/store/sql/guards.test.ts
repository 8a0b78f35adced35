// The SQL of access rules in a statement, and which rows and fields they leave.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { forbiddenMarker } from '#plan'
import { type PageRequest, planMany, planOne, type Select } from '../plan.fixture.ts'
import { onEachStore, openTestStore, type TestStore } from '../store.fixture.ts'

const sdl = `
type User @account @allow(to: [READ]) {
  id: ID! email: String! @unique
  phone: String @allow(who: "self", to: [READ])
  secret: String @allow(role: "admin", to: [READ])
  rank: Int! @allow(who: "self", to: [READ])
  flag: Boolean @allow(who: "self", to: [READ])
  home: Home @allow(who: "self", to: [READ])
  posts: [Post!]! @relation(inverse: "author") @allow(who: "self", to: [READ])
  profile: Profile @relation(inverse: "user")
  best: Post @relation(inverse: "bestOf") @allow(who: "self", to: [READ])
}
type Home { city: String }
type Profile @allow(who: "user") { id: ID! bio: String user: User! @unique }
type Team @allow(who: "members") { id: ID! name: String members: [User!]! }
type Post @allow(to: [READ], where: {status: {eq: PUBLISHED}}) @allow(who: "author") @allow(who: "team") {
  id: ID! title: String! status: Status! author: User! team: Team about: Thing bestOf: User @unique
}
type Note @allow(who: "about") { id: ID! text: String about: Thing }
union Thing = User | Post | Team
enum Status { DRAFT PUBLISHED }
`

onEachStore('rules in a statement', (on) => {
  let store: TestStore
  let ann: TestStore
  let bob: TestStore
  let nobody: TestStore
  before(async () => {
    store = await openTestStore(sdl, { on })
    const system = store.as(null)
    ann = store.as({ account: 'ann' })
    bob = store.as({ account: 'bob' })
    nobody = store.as({ authenticated: false })
    const person = (rank: number) => ({ rank, phone: `+${rank}`, secret: 's', flag: true, home: { city: 'Rome' } })
    await system.replace('User', 'ann', { email: 'ann@x', ...person(1) })
    await system.replace('User', 'bob', { email: 'bob@x', ...person(2) })
    await system.replace('Team', 'red', { name: 'Red', members: ['bob'] })
    await system.replace('Profile', 'p', { bio: 'b', user: 'ann' })
    const post = { title: 'x', author: 'ann' }
    await system.replace('Post', 'draft', { ...post, status: 'DRAFT', bestOf: 'ann', about: 'red' })
    await system.replace('Post', 'open', { ...post, status: 'PUBLISHED', team: 'red', about: 'draft' })
    await system.replace('Post', 'ours', { ...post, status: 'DRAFT', team: 'red', about: 'bob' })
    await system.replace('Note', 'n', { text: 't', about: 'ann' })
  })
  after(() => store.close())

  const ids = async (viewer: TestStore, type: string, request: PageRequest = {}) =>
    (await viewer.many(type, { select: ['id'], ...request })).map(({ id }) => id)

  /** The row, where each refused member is '-'. */
  async function row(viewer: TestStore, type: string, id: string, select: Select): Promise<unknown> {
    const { text } = (await viewer.run(planOne(store.model, type, id, select))) as { text: string | null }
    return text === null ? null : forbiddenMarker.replaceIn(text, () => '-')
  }

  const sqlOf = (viewer: TestStore, type: string, select: Select) => viewer.sql(planOne(store.model, type, 'x', select))

  test('the viewer and the constants of a rule are bound', async () => {
    assert.equal(
      ann.sql(planMany(store.model, 'Post', { select: ['id'] })),
      `SELECT (SELECT json_group_array(json_object('id', t1."id")) FROM (SELECT t1."id" FROM "Post" AS t1 WHERE ` +
        `(t1."status" = ?3 OR t1."author" = ?4 OR EXISTS (SELECT 1 FROM "Team" AS t2 WHERE t2."id" = t1."team" AND ` +
        `EXISTS (SELECT 1 FROM "Team_members" AS t4 JOIN "User" AS t3 ON t3."id" = t4."right_id" WHERE t4."left_id" = t2."id" AND t3."id" = ?4))) ` +
        `ORDER BY t1."id" ASC LIMIT CAST(?1 AS INTEGER) OFFSET ?2) AS t1), 1, 0, NULL`,
    )
    assert.deepEqual(await ids(ann, 'Post'), ['draft', 'open', 'ours'])
    assert.deepEqual(await ids(bob, 'Post'), ['open', 'ours'])
    assert.deepEqual(await ids(nobody, 'Post'), ['open'])
  })

  test('a row that is not readable does not appear, nor does its list', async () => {
    assert.equal(
      sqlOf(ann, 'Profile', ['bio']),
      `SELECT json_object('bio', t1."bio"), t1."_version" FROM "Profile" AS t1 WHERE t1."id" = ?1 AND t1."user" = ?2`,
    )
    assert.deepEqual(await row(ann, 'Profile', 'p', ['bio']), { bio: 'b' })
    assert.equal(await row(bob, 'Profile', 'p', ['bio']), null)
    assert.equal(await row(nobody, 'Profile', 'p', ['bio']), null)
    const within = { of: 'Team', field: 'members', id: 'red' }
    assert.deepEqual(await ids(bob, 'User', { within }), ['bob'])
    await assert.rejects(ids(ann, 'User', { within }), { code: 'NOT_FOUND' })
  })

  test('a reference to a row that is not readable is null, and shows no id', async () => {
    assert.equal(
      sqlOf(ann, 'User', ['which:profile', { profile: ['bio'] }]),
      `SELECT json_object('which', (SELECT t2."id" FROM "Profile" AS t2 WHERE t2."user" = t1."id" AND t2."user" = ?1), ` +
        `'profile', (SELECT json_object('bio', t3."bio") FROM "Profile" AS t3 WHERE t3."user" = t1."id" AND t3."user" = ?1)), ` +
        `t1."_version" FROM "User" AS t1 WHERE t1."id" = ?2`,
    )
    const select = ['which:profile', { profile: ['bio'] }]
    assert.deepEqual(await row(ann, 'User', 'ann', select), { which: 'p', profile: { bio: 'b' } })
    assert.deepEqual(await row(bob, 'User', 'ann', select), { which: null, profile: null })
    assert.deepEqual(await row(nobody, 'User', 'ann', select), { which: null, profile: null })
    assert.deepEqual(await row(bob, 'Post', 'open', ['team', { team: ['name'] }]), { team: { name: 'Red' } })
    assert.deepEqual(await row(ann, 'Post', 'open', ['which:team', { team: ['name'] }]), { which: null, team: null })
  })

  test('rows of several types follow the rules of their own type', async () => {
    const select = ['which:about', { about: { byType: { User: ['id'], Post: ['id'], Team: ['id'] } } }]
    const unseen = { which: null, about: null }
    const seen = (type: string, id: string) => ({ which: `${type}:${id}`, about: { id } })
    assert.deepEqual(await row(ann, 'Post', 'draft', select), unseen)
    assert.deepEqual(await row(ann, 'Post', 'open', select), seen('Post', 'draft'))
    assert.deepEqual(await row(bob, 'Post', 'open', select), unseen)
    assert.deepEqual(await row(bob, 'Post', 'ours', select), seen('User', 'bob'))
    const byType = { User: ['id'], Post: ['id'], Team: ['id'] }
    const things = async (viewer: TestStore) => (await viewer.many('Thing', { byType })).map(({ id }) => id)
    assert.deepEqual(await things(nobody), ['ann', 'bob', 'open'])
    assert.deepEqual(await things(bob), ['ann', 'bob', 'open', 'ours', 'red'])
  })

  test('a path can reach the account type through a union', async () => {
    assert.equal(
      sqlOf(ann, 'Note', ['text']),
      `SELECT json_object('text', t1."text"), t1."_version" FROM "Note" AS t1 WHERE t1."id" = ?1 AND ` +
        `((t1."about_type" = 'User' AND EXISTS (SELECT 1 FROM "User" AS t2 WHERE t2."id" = t1."about" AND t2."id" = ?2)))`,
    )
    assert.deepEqual(await ids(ann, 'Note'), ['n'])
    assert.deepEqual(await ids(bob, 'Note'), [])
    assert.deepEqual(await ids(nobody, 'Note'), [])
  })

  test('a field of any kind that is not readable on the row is a marker', async () => {
    const marker = `'${forbiddenMarker.text}'`
    assert.equal(
      sqlOf(ann, 'User', ['phone', 'secret']),
      `SELECT json_object('phone', CASE WHEN t1."id" = ?1 THEN t1."phone" ELSE ${marker} END, 'secret', ${marker}), ` +
        `t1."_version" FROM "User" AS t1 WHERE t1."id" = ?2`,
    )
    const select = ['id', 'phone', 'flag', 'home', 'secret', 'which:best', { best: ['id'] }, { posts: ['id'] }]
    const posts = [{ id: 'draft' }, { id: 'open' }, { id: 'ours' }]
    const own = { id: 'ann', phone: '+1', flag: true, home: { city: 'Rome' }, secret: '-', which: 'draft' }
    assert.deepEqual(await row(ann, 'User', 'ann', select), { ...own, best: { id: 'draft' }, posts })
    const hidden = { phone: '-', flag: '-', home: '-', secret: '-', which: '-', best: '-', posts: '-' }
    assert.deepEqual(await row(bob, 'User', 'ann', select), { id: 'ann', ...hidden })
    assert.deepEqual(await row(nobody, 'User', 'ann', select), { id: 'ann', ...hidden })
    const admin = await row(store.as({ roles: ['admin'] }), 'User', 'ann', ['secret', 'phone'])
    assert.deepEqual(admin, { secret: 's', phone: '-' })
  })

  test('a field that is hidden on some rows matches only on the others, negated or not', async () => {
    assert.deepEqual(await ids(ann, 'User', { where: { rank: { gt: 0 } } }), ['ann'])
    assert.deepEqual(await ids(ann, 'User', { where: { not: { rank: { gt: 5 } } } }), ['ann'])
    assert.deepEqual(await ids(bob, 'User', { where: { rank: { ne: 1 } } }), ['bob'])
    assert.deepEqual(await ids(bob, 'User', { where: { profile: { isNull: true } } }), ['ann', 'bob'])
    assert.deepEqual(await ids(ann, 'User', { where: { profile: { isNull: true } } }), ['bob'])
  })

  test('a field that is hidden on some rows sorts as null there, and is in no cursor', async () => {
    interface Connection {
      edges: { node: { id: string }; cursor: string }[]
      pageInfo: { hasNextPage: boolean; endCursor: string | null }
    }
    const request = { order: ['-rank'], select: ['id'] }
    assert.match(
      bob.sql(planMany(store.model, 'User', request)),
      /ORDER BY CASE WHEN t1\."id" = \?3 THEN t1\."rank" END DESC NULLS LAST, t1\."id" DESC/,
    )
    assert.deepEqual(await ids(bob, 'User', { order: ['rank'] }), ['bob', 'ann'])
    assert.deepEqual(await ids(ann, 'User', { order: ['-rank'] }), ['ann', 'bob'])
    const keys: unknown[] = []
    let cursor: string | null = null
    do {
      const page: Connection = await ann.many('User', { ...request, first: 1, after: cursor })
      keys.push(
        ...page.edges.map((edge) => JSON.parse(Buffer.from(edge.cursor.split('.')[0]!, 'base64url').toString())),
      )
      cursor = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null
    } while (cursor !== null)
    assert.deepEqual(keys, [
      [1, 'ann'],
      [null, 'bob'],
    ])
  })

  test('totals and next pages count readable rows only', async () => {
    const boundPlan = planMany(store.model, 'Post', { select: ['id'], limit: 1, total: true })
    const answer = await nobody.run(boundPlan, { more: true })
    assert.deepEqual(answer, { kind: 'many', text: '[{"id":"open"}]', more: false, total: 1 })
  })
})
