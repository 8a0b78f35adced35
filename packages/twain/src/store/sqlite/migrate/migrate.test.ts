import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestStore, TestStore } from '../../store.fixture.ts'

/** Opens a store with one schema, then the same data with another. */
async function openWith(from: string, to: string, fill: (store: TestStore) => Promise<unknown>): Promise<TestStore> {
  const store = await openTestStore(from)
  await fill(store)
  await store.store.close()
  return TestStore.open(store.data, to)
}

test('a new schema adds fields, with their default in existing rows, types, links and indexes', async () => {
  const store = await openWith(
    'type Post { id: ID! title: String! } type Old { id: ID! }',
    `type Post {
       id: ID! title: String! @index size: Int! @default(value: 7) at: DateTime @default(value: "2026-01-01T01:00:00+01:00")
       flag: Boolean @default(value: false) price: Decimal @default(value: "1.50") words: [String!] @default(value: ["a"])
       note: String author: User tags: [Tag!]! about: Any
     }
     type User { id: ID! posts: [Post!]! @relation(inverse: "author") }
     type Tag { id: ID! posts: [Post!]! @relation(inverse: "tags") }
     type Old { id: ID! }
     union Any = User | Tag`,
    (store) => store.replace('Post', 'p', { title: 'one' }),
  )
  assert.deepEqual(await store.one('Post', 'p'), {
    id: 'p',
    title: 'one',
    size: 7,
    at: '2026-01-01T00:00:00.000Z',
    flag: false,
    price: '1.5',
    words: ['a'],
    note: null,
    author: null,
    about: null,
  })
  await store.replace('User', 'u', {})
  await store.replace('Tag', 't', {})
  const { version } = await store.update('Post', 'p', { author: 'u', tags: ['t'], about: 't' })
  assert.equal(version, 2)
  assert.deepEqual(await store.many('Post', { where: { price: { eq: '1.50' } }, select: [{ tags: ['id'] }] }), [
    { tags: [{ id: 't' }] },
  ])
  const [index] = await store.query(`SELECT name FROM sqlite_master WHERE name = 'Post(key of title,title,id)'`)
  assert.ok(index)
  assert.equal((await store.query('SELECT count(*) AS n FROM twain_schema'))[0]!.n, 2)
  await store.close()
})

test('the same schema is recorded once', async () => {
  const sdl = 'type Post { id: ID! title: String! }'
  const store = await openWith(sdl, sdl, (store) => store.create('Post', { title: 'one' }))
  assert.equal((await store.query('SELECT count(*) AS n FROM twain_schema'))[0]!.n, 1)
  await store.close()
})

test('an index that the schema no longer needs is dropped', async () => {
  const store = await openWith(
    'type Post { id: ID! title: String @index }',
    'type Post { id: ID! title: String }',
    (store) => store.create('Post', { title: 'one' }),
  )
  assert.deepEqual(await store.query(`SELECT name FROM sqlite_master WHERE name LIKE 'Post(%title%'`), [])
  await store.close()
})

test('a breaking schema refuses the start with a list of all differences, and changes nothing', async () => {
  const previous = 'type Post { id: ID! title: String! size: Int old: Int } type Gone { id: ID! }'
  const store = await openTestStore(previous)
  await store.replace('Post', 'p', { title: 'one', size: 1 })
  await store.store.close()
  const schema = () => store.query('SELECT name, sql FROM sqlite_master ORDER BY name')
  const before = await schema()
  const broken = 'type Post { id: ID! title: Int! size: Int! extra: String new: Int! }'
  await assert.rejects(TestStore.open(store.data, broken), (error: Error) => {
    assert.equal(error.name, 'StartRefused')
    for (const path of ['Post.title', 'Post.size', 'Post.old', 'Post.new', 'Gone']) {
      assert.ok(error.message.includes(` ${path} `), `${path} is not in\n${error.message}`)
    }
    assert.match(error.message, /Nothing was changed/)
    return true
  })
  assert.deepEqual(await schema(), before)
  const again = await TestStore.open(store.data, previous)
  assert.deepEqual(await again.one('Post', 'p'), { id: 'p', title: 'one', size: 1, old: null })
  await again.close()
})

test('a new unique field that rows violate refuses the start and is named', async () => {
  const store = await openTestStore('type Post { id: ID! title: String }')
  await Promise.all([store.create('Post', { title: 'one' }), store.create('Post', { title: 'one' })])
  await store.store.close()
  await assert.rejects(TestStore.open(store.data, 'type Post { id: ID! title: String @unique }'), {
    name: 'StartRefused',
    message: /Post\.title/,
  })
  await (await TestStore.open(store.data, 'type Post { id: ID! title: String }')).close()
})
