import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { type Json, onEachStore, openTestStore, type TestStore } from '../../store.fixture.ts'

const sdl = `
  type User @account @allow(who: "signedIn", to: [READ]) @allow(who: "self") @allow(role: "admin") {
    id: ID!
    email: String! @unique
  }
  type Post
    @allow(to: [READ], where: {status: {eq: PUBLISHED}})
    @allow(who: "author")
    @allow(role: "editor", to: [READ, UPDATE], where: {status: {eq: PUBLISHED}}) {
    id: ID!
    title: String!
    slug: String @unique
    status: Status! @default(value: DRAFT)
    pinned: Boolean @allow(role: "editor", to: [CREATE, UPDATE])
    note: String @allow(role: "editor", to: [READ, UPDATE])
    mark: String @immutable @allow(role: "editor", to: [READ])
    author: User @default(value: VIEWER)
    after: Post
    tags: [Tag!]!
  }
  enum Status { DRAFT PUBLISHED }
  type Tag @allow(who: "owner") { id: ID! name: String owner: User @default(value: VIEWER) }
`

const ann = { account: 'ann' }
const bob = { account: 'bob' }
const editor = { account: 'eve', roles: ['editor'] }

onEachStore('the rules of a write', (on) => {
  let store: TestStore
  let changes = 0
  before(async () => {
    store = await openTestStore(sdl, { on })
    const unchecked = store.as(null)
    for (const id of ['ann', 'bob', 'eve']) await unchecked.replace('User', id, { email: `${id}@example.org` })
    await unchecked.replace('Tag', 'anns', { owner: 'ann' })
    await unchecked.replace('Tag', 'bobs', { owner: 'bob' })
  })
  beforeEach(async () => {
    const unchecked = store.as(null)
    await unchecked.replace('Post', 'draft', {
      title: 'Draft',
      slug: 'draft',
      author: 'ann',
      note: 'n',
      tags: ['anns', 'bobs'],
    })
    await unchecked.replace('Post', 'shown', {
      title: 'Shown',
      author: 'ann',
      status: 'PUBLISHED',
      pinned: null,
      note: 'secret',
    })
    changes = (await store.changes()).length
  })
  after(() => store.close())

  /** `FORBIDDEN title status`, or `ok`. */
  const outcome = async (write: Promise<unknown>): Promise<string> => {
    try {
      await write
      return 'ok'
    } catch (error) {
      const { code, problems } = error as { code: string; problems: { path: string; code: string }[] }
      return [code, ...problems.map((problem) => `${problem.path}:${problem.code}`)].join(' ')
    }
  }
  const stored = (id: string): Promise<Json | null> => store.as(null).one('Post', id)
  const unchanged = async (): Promise<void> => assert.equal((await store.changes()).length, changes)

  test('hold for the row before the write: a viewer who may read it but not change it is refused', async () => {
    assert.equal(await outcome(store.as(bob).update('Post', 'shown', { title: 'x' })), 'FORBIDDEN')
    assert.equal(await outcome(store.as(bob).replace('Post', 'shown', { title: 'x' })), 'FORBIDDEN')
    assert.equal(await outcome(store.as(bob).delete('Post', 'shown')), 'FORBIDDEN')
    assert.equal(await outcome(store.as(editor).delete('Post', 'shown')), 'FORBIDDEN')
    await unchanged()
    assert.equal(await outcome(store.as(editor).update('Post', 'shown', { title: 'x' })), 'ok')
  })

  test('hide the row from a viewer who may not read it, whatever the write', async () => {
    const other = store.as(bob)
    assert.equal(
      await outcome(other.update('Post', 'draft', { title: 'x' })),
      await outcome(other.update('Post', 'none', {})),
    )
    assert.equal(await outcome(other.update('Post', 'draft', { title: 'x' })), 'NOT_FOUND')
    assert.equal(await other.delete('Post', 'draft'), false)
    for (const version of [1, 2, 99]) {
      const missing = await outcome(other.update('Post', 'none', {}, { ifVersion: version }))
      assert.equal(await outcome(other.update('Post', 'draft', {}, { ifVersion: version })), missing)
    }
    await unchanged()
  })

  test('a replace neither overwrites nor reveals a row that the viewer may not read', async () => {
    const other = store.as(bob)
    assert.equal(await outcome(other.replace('Post', 'draft', { title: 'mine' })), 'NOT_FOUND')
    assert.equal(await outcome(other.replace('Post', 'draft', { title: 'x', author: 'ann' })), 'NOT_FOUND')
    for (const input of [
      { title: 'x', author: 'ann' },
      { title: 'x', pinned: true },
      { title: 'x', after: 'nothing' },
    ]) {
      assert.equal(
        await outcome(other.replace('Post', 'draft', input)),
        await outcome(other.replace('Post', 'nothing-here', input)),
      )
    }
    await unchanged()
    assert.equal(await outcome(other.replace('Post', 'new', { title: 'mine' })), 'ok')
    await other.delete('Post', 'new')
  })

  test('hold for the row after the write', async () => {
    assert.equal(await outcome(store.as(ann).update('Post', 'draft', { author: 'bob' })), 'FORBIDDEN')
    assert.equal(await outcome(store.as(editor).update('Post', 'shown', { status: 'DRAFT' })), 'FORBIDDEN')
    assert.equal(await outcome(store.as(bob).create('Post', { title: 'x', author: 'ann' })), 'FORBIDDEN')
    assert.equal(await outcome(store.as(editor).create('Post', { title: 'x', author: null })), 'FORBIDDEN')
    await unchanged()
    const { row } = await store.as(bob).create('Post', { title: 'x' })
    assert.equal(row.author, 'bob')
  })

  test('hold for fields with rules of their own, if they are set or changed', async () => {
    assert.equal(
      await outcome(store.as(ann).create('Post', { title: 'x', pinned: false })),
      'FORBIDDEN pinned:READONLY',
    )
    assert.equal(await outcome(store.as(ann).update('Post', 'draft', { pinned: true })), 'FORBIDDEN pinned:READONLY')
    await unchanged()
    assert.equal(await outcome(store.as(ann).update('Post', 'draft', { pinned: null, title: 'y' })), 'ok')
    assert.equal(await outcome(store.as(editor).update('Post', 'shown', { pinned: true })), 'ok')
  })

  test('a hidden field is refused whether it differs or not, so that its value can’t be guessed', async () => {
    for (const note of ['n', 'other']) {
      assert.equal(await outcome(store.as(ann).update('Post', 'draft', { note })), 'FORBIDDEN note:READONLY')
    }
    await store.as(null).replace('Post', 'marked', { title: 'm', author: 'ann', mark: 'yes' })
    for (const mark of ['yes', 'no', null]) {
      assert.equal(await outcome(store.as(ann).update('Post', 'marked', { mark })), 'VALIDATION_FAILED mark:READONLY')
    }
  })

  test('a replace keeps the fields that its viewer may not see', async () => {
    await store.as(ann).replace('Post', 'draft', { title: 'again' })
    const { title, slug, note } = (await stored('draft'))!
    assert.deepEqual([title, slug, note], ['again', null, 'n'])
  })

  test('a viewer who may not write does not learn which values exist', async () => {
    assert.equal(await outcome(store.as(bob).create('Post', { title: 'x', slug: 'draft', author: 'ann' })), 'FORBIDDEN')
    assert.equal(await outcome(store.as(bob).create('Post', { title: 'x', slug: 'draft' })), 'CONFLICT slug:UNIQUE')
    const input = { title: 'x', slug: 'draft', author: 'ann', after: 'nothing' }
    assert.equal(await outcome(store.as(bob).create('Post', input)), 'CONFLICT after:REFERENCE')
  })

  test('a reference to a row that the viewer may not read is like one to a missing row', async () => {
    const [hidden, none] = await Promise.all(
      ['draft', 'nothing'].map((after) => outcome(store.as(bob).create('Post', { title: 'x', after }))),
    )
    assert.equal(hidden, 'CONFLICT after:REFERENCE')
    assert.equal(none, hidden)
    assert.equal(await outcome(store.as(bob).create('Post', { title: 'x', after: 'shown' })), 'ok')
    assert.equal(
      await outcome(store.as(bob).create('Post', { title: 'x', tags: ['anns'] })),
      'CONFLICT tags.0:REFERENCE',
    )
  })

  test('a reference that the viewer may not see stays: it reads as null, and null may be written back', async () => {
    const { id } = await store.as(null).create('Post', { title: 'x', author: 'bob', after: 'draft' })
    await store.as(bob).replace('Post', id, { title: 'y', after: null })
    assert.equal((await stored(id))!.after, 'draft')
    await store.as(bob).replace('Post', id, { title: 'z' })
    assert.equal((await stored(id))!.after, 'draft')
    await store.as(bob).update('Post', id, { after: null })
    assert.equal((await stored(id))!.after, 'draft')
  })

  test('links to rows that the viewer may not see stay', async () => {
    await store.as(ann).update('Post', 'draft', { tags: [] })
    assert.deepEqual((await store.as(null).one('Post', 'draft', [{ tags: ['id'] }]))!.tags, [{ id: 'bobs' }])
  })
})

onEachStore('rules', (on) => {
  test('a row can’t grant access to itself: rules read lists as they were before the write', async (t) => {
    const store = await openTestStore(
      `
    type User @account @allow(to: [READ]) { id: ID! email: String! @unique }
    type Team @allow(to: [READ]) @allow(who: "memberships.user") @allow(who: "fans") {
      id: ID! name: String memberships: [Membership!]! fans: [User!]!
    }
    type Membership @allow(to: [READ]) @allow(who: "team") { id: ID! team: Team! user: User! }
  `,
      { on },
    )
    t.after(() => store.close())
    const unchecked = store.as(null)
    for (const id of ['ann', 'bob']) await unchecked.replace('User', id, { email: id })
    await unchecked.replace('Team', 't', {})
    await unchecked.create('Membership', { team: 't', user: 'ann' })
    const refused = { code: 'FORBIDDEN' }
    const [asAnn, asBob] = [store.as(ann), store.as(bob)]
    await assert.rejects(asBob.create('Membership', { team: 't', user: 'bob' }), refused)
    await assert.rejects(asBob.update('Team', 't', { fans: ['bob'] }), refused)
    await assert.rejects(asBob.create('Team', { fans: ['bob'] }), refused)
    await asAnn.create('Membership', { team: 't', user: 'bob' })
    await asBob.update('Team', 't', { fans: ['bob'], name: 'ours' })
  })
})

onEachStore('a many-to-many relation', (on) => {
  const clubs = `
    type Club @allow(to: [READ]) @allow(who: "members", to: [UPDATE]) { id: ID! name: String members: [User!]! }
    type User @account @allow(to: [READ]) @allow(who: "self", to: [UPDATE]) { id: ID! email: String! @unique clubs: [Club!]! }
  `

  test('is changed from its inverse side only by a viewer who may change the owning side', async () => {
    const store = await openTestStore(clubs, { on })
    const unchecked = store.as(null)
    for (const id of ['ann', 'bob']) await unchecked.replace('User', id, { email: `${id}@example.org` })
    await unchecked.replace('Club', 'chess', { members: ['ann'] })

    await assert.rejects(store.as(bob).update('User', 'bob', { clubs: ['chess'] }), { code: 'FORBIDDEN' })
    await assert.rejects(store.as(bob).update('Club', 'chess', { members: ['bob'] }), { code: 'FORBIDDEN' })
    await store.as(ann).update('User', 'ann', { clubs: [] })

    await assert.rejects(store.as(ann).update('User', 'ann', { clubs: ['chess'] }), { code: 'FORBIDDEN' })
    await store.close()
  })
})

onEachStore('rules', (on) => {
  test('an anonymous replace is 401 if no rule could grant it to an anonymous viewer', async (t) => {
    const store = await openTestStore(
      `
    type User @account @allow(to: [READ]) { id: ID! email: String! @unique }
    type Joined @allow(to: [READ, CREATE]) @allow(who: "signedIn") { id: ID! text: String }
    type Wiki @allow(to: [READ, UPDATE], where: {text: {eq: "open"}}) @allow(who: "signedIn") { id: ID! text: String }
  `,
      { on },
    )
    t.after(() => store.close())
    const unchecked = store.as(null)
    await unchecked.replace('Joined', 'there', { text: 'x' })
    await unchecked.replace('Wiki', 'open', { text: 'open' })
    await unchecked.replace('Wiki', 'unseen', { text: 'closed' })
    const nobody = store.as({ authenticated: false })
    const unknown = { code: 'UNAUTHENTICATED' }
    await assert.rejects(nobody.replace('Joined', 'there', { text: 'y' }), unknown)
    await nobody.replace('Joined', 'new', { text: 'y' })
    await nobody.replace('Wiki', 'open', { text: 'open' })
    await assert.rejects(nobody.replace('Wiki', 'unseen', { text: 'open' }), unknown)
    await assert.rejects(nobody.replace('Wiki', 'nothing', { text: 'open' }), unknown)
    await assert.rejects(nobody.update('Wiki', 'open', { text: 'closed' }), { code: 'FORBIDDEN' })
  })
})
