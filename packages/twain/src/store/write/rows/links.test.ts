import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { apiErrorOf, onEachStore, openTestStore, type TestStore } from '../../store.fixture.ts'

onEachStore('links', (on) => {
  let store: TestStore
  before(async () => {
    store = await openTestStore(
      `
      type Post { id: ID! title: String Post_tags: String tags: [Tag!]! likes: [Thing!]! }
      type Tag { id: ID! posts: [Post!]! }
      type User { id: ID! follows: [User!]! followers: [User!]! @relation(inverse: "follows") friends: [User!]! @relation(inverse: "friends") }
      union Thing = Post | User
    `,
      { on },
    )
    for (const id of ['x', 'y', 'z']) await store.replace('Tag', id, {})
    for (const id of ['a', 'b', 'c']) await store.replace('User', id, {})
  })
  after(() => store.close())

  const ids = async (type: string, id: string, field: string): Promise<string> => {
    const row = await store.one(type, id, [{ [field]: ['id'] }])
    return (row![field] as { id: string }[]).map((one) => one.id).join('')
  }

  test('are set by a create, changed by an update, and visible from both sides', async () => {
    await store.replace('Post', 'p', { tags: ['y', 'x'] })
    assert.equal(await ids('Post', 'p', 'tags'), 'xy')
    await store.update('Post', 'p', { tags: ['z', 'x'] })
    assert.equal(await ids('Post', 'p', 'tags'), 'xz')
    assert.equal(await ids('Tag', 'z', 'posts'), 'p')
    assert.equal(await ids('Tag', 'y', 'posts'), '')
    await store.update('Tag', 'y', { posts: ['p'] })
    assert.equal(await ids('Post', 'p', 'tags'), 'xyz')
    await store.update('Post', 'p', { tags: [] })
    assert.equal(await ids('Post', 'p', 'tags'), '')
  })

  test('make a version and a change log entry, with the ids before and after', async () => {
    const { id } = await store.create('Post', { title: 't', Post_tags: 'a column', tags: ['x'] })
    const { version } = await store.update('Post', id, { tags: ['y', 'x'] })
    assert.equal(version, 2)
    const [created, updated] = (await store.changes()).slice(-2)
    assert.deepEqual(created!.after, { title: 't', Post_tags: 'a column', 'Post_tags.left': ['x'] })
    assert.deepEqual(updated!.after, { title: 't', Post_tags: 'a column', 'Post_tags.left': ['y', 'x'] })
    assert.deepEqual(updated!.before, { 'Post_tags.left': ['x'] })
    assert.equal((await store.update('Post', id, { tags: ['x', 'y'] })).version, 2)
  })

  test('to missing rows are a conflict that names each path', async () => {
    const error = await apiErrorOf(store.create('Post', { tags: ['x', 'none', 'nothing'] }))
    assert.equal(error.code, 'CONFLICT')
    assert.deepEqual(
      error.problems.map(({ path, code }) => `${path} ${code}`),
      ['tags.1 REFERENCE', 'tags.2 REFERENCE'],
    )
  })

  test('of a type with itself have a direction', async () => {
    await store.update('User', 'a', { follows: ['b', 'a'], friends: ['c'] })
    assert.equal(await ids('User', 'b', 'followers'), 'a')
    assert.equal(await ids('User', 'a', 'followers'), 'a')
    assert.equal(await ids('User', 'b', 'follows'), '')
    assert.equal(await ids('User', 'c', 'friends'), '')
    await store.update('User', 'b', { follows: ['b'], followers: ['a', 'b'] })
    assert.equal(await ids('User', 'b', 'followers'), 'ab')
    assert.equal(await ids('User', 'b', 'follows'), 'b')
  })

  test('to several types store the type, and two references to one row are one link', async () => {
    await store.replace('Post', 'b', {})
    const { id } = await store.create('Post', { likes: ['a', 'User:a', 'User:b', 'Post:b'] })
    const likes = { byType: { Post: ['__typename', 'id'], User: ['__typename', 'id'] } }
    assert.deepEqual(await store.one('Post', id, [{ likes }]), {
      likes: [
        { __typename: 'User', id: 'a' },
        { __typename: 'Post', id: 'b' },
        { __typename: 'User', id: 'b' },
      ],
    })
    assert.deepEqual(((await store.changes()).at(-1)!.after as Record<string, unknown>)['Post_likes.left'], [
      'User:a',
      'User:b',
      'Post:b',
    ])
    await store.delete('User', 'b')
    assert.deepEqual(await store.one('Post', id, [{ likes }]), {
      likes: [
        { __typename: 'User', id: 'a' },
        { __typename: 'Post', id: 'b' },
      ],
    })
  })

  test('are deleted with either row, and no other row changes', async () => {
    const { id } = await store.create('Post', { tags: ['x', 'z'] })
    const before = (await store.changes()).length
    await store.delete('Tag', 'x')
    assert.equal(await ids('Post', id, 'tags'), 'z')
    await store.delete('Post', id)
    assert.equal(await ids('Tag', 'z', 'posts'), '')
    assert.equal((await store.changes()).length, before + 2)
  })
})
