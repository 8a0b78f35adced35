import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { test } from 'node:test'
import { openTestStore, TestStore } from './store.fixture.ts'

async function refusal(store: TestStore, sdl: string, forgetting = false): Promise<string> {
  const error = await TestStore.open(store.data, sdl, { forgetting }).then(
    () => assert.fail('it was opened'),
    (error: Error) => error,
  )
  rmSync(store.data, { recursive: true })
  assert.equal(error.name, 'StartRefused')
  return error.message
}

test('a refusal names the folder, what made it, each difference with its cure, and the way out', async () => {
  const store = await openTestStore(
    'extend schema @service(name: "Shop") type Post { id: ID! old: Int size: Int } type Tag { id: ID! }',
  )
  await store.store.close()
  const message = await refusal(store, 'type Post { id: ID! size: Int! new: Int! } type Tag { id: ID! }')
  assert.equal(
    message,
    `The data in ${store.data} was made with Shop (Post, Tag), and this schema changes it in ways that Twain can't make by itself yet:
  - field Post.old is gone. Put it back.
  - Post.size was optional and is required now. Make it optional again.
  - Post.new is new and required, and the rows that are there have no value for it. Make it optional, or give it a @default.
Nothing was changed. Mend these in the schema file; or start afresh in another folder (--data) or, if the rows may go, delete this one: rm -r ${store.data}`,
  )
})

test('the folder of another service is told as that, without a list', async () => {
  const store = await openTestStore('type Post { id: ID! }')
  await store.store.close()
  const message = await refusal(store, 'type Ship { id: ID! }')
  assert.match(
    message,
    /was made with a schema \(Post\), and this schema has none of these types\.\nNothing was changed/,
  )
  assert.match(message, /rm -r /)
})

test('where nothing is lost, a field that no row has and a type without rows may go, and come back as something else', async () => {
  const first =
    'type Post { id: ID! title: String! nick: String tags: [Tag!]! about: Tag } type Tag { id: ID! posts: [Post!]! @relation(inverse: "tags") }'
  const store = await openTestStore(first)
  await store.replace('Post', 'p', { title: 'one' })
  await store.store.close()

  const less = await TestStore.open(store.data, 'type Post { id: ID! title: String! }', { forgetting: true })
  assert.deepEqual(await less.one('Post', 'p'), { id: 'p', title: 'one' })
  await less.store.close()

  const anew =
    'type Post { id: ID! title: String! nick: Int tags: [Tag!]! } type Tag { id: ID! size: Int! posts: [Post!]! }'
  const more = await TestStore.open(store.data, anew, { forgetting: true })
  await more.replace('Tag', 't', { size: 1 })
  await more.update('Post', 'p', { nick: 5, tags: ['t'] })
  assert.deepEqual(await more.one('Post', 'p', ['nick', { tags: ['id', 'size'] }]), {
    nick: 5,
    tags: [{ id: 't', size: 1 }],
  })
  await more.close()
})

test('a type without rows may change as it likes', async () => {
  const store = await openTestStore('type Post { id: ID! title: String! at: Int } type Tag { id: ID! }')
  await store.store.close()
  const sdl = 'type Post { id: ID! title: Int! at: Tag new: Int! @unique } type Tag { id: ID! }'
  const changed = await TestStore.open(store.data, sdl, { forgetting: true })
  await changed.replace('Tag', 't', {})
  await changed.replace('Post', 'p', { title: 7, at: 't', new: 1 })
  assert.deepEqual(await changed.one('Post', 'p'), { id: 'p', title: 7, at: 't', new: 1 })
  await changed.close()
})

test('what rows have is never forgotten', async () => {
  const store = await openTestStore('type Post { id: ID! title: String tags: [Tag!]! } type Tag { id: ID! }')
  await store.replace('Tag', 't', {})
  await store.replace('Post', 'p', { title: 'one', tags: ['t'] })
  await store.store.close()
  const message = await refusal(store, 'type Post { id: ID! }', true)
  assert.match(message, /Post\.title is gone/)
  assert.match(message, /Post\.tags is gone/)
  assert.match(message, /type Tag is gone/)
})
