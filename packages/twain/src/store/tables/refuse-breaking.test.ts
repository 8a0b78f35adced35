import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { apiErrorOf, onEachStore, openTestStore, type TestStore } from '../store.fixture.ts'

async function refusal(store: TestStore, sdl: string, allowBreaking = false): Promise<string> {
  const error = await store.reopenWith(sdl, { allowBreaking }).then(
    () => assert.fail('it was opened'),
    (error: Error) => error,
  )
  assert.equal(error.name, 'StartRefused', error.stack)
  return error.message
}

const allowed = { allowBreaking: true }

test('a refusal names the folder, its service, each difference with its fix, and the alternatives', async () => {
  const previous = 'extend schema @service(name: "Shop") type Post { id: ID! old: Int size: Int } type Tag { id: ID! }'
  const store = await openTestStore(previous)
  const message = await refusal(store, 'type Post { id: ID! size: Int! new: Int! } type Tag { id: ID! }')
  assert.equal(
    message,
    `The data in ${store.data} was made with Shop (Post, Tag), and this schema breaks what its clients rely on:
  - field Post.old was removed. Put it back, and mark it as @deprecated before you remove it. If you renamed it, write @was(name: "old") on the new field.
  - Post.size was optional and is required now. Make it optional again.
  - Post.new is new and required, and existing rows have no value for it. Make it optional, or give it a @default.
Nothing was changed. Mend these in the schema file; or start with --allow-breaking if no client minds; or start afresh in another folder (--data) or, if the rows may go, delete this one: rm -r ${store.data}`,
  )
  await (await store.reopenWith(previous)).close()
})

test('the folder of another service is reported as such, without a list', async () => {
  const store = await openTestStore('type Post { id: ID! }')
  const message = await refusal(store, 'type Ship { id: ID! }')
  assert.match(
    message,
    /was made with a schema \(Post\), and this schema has none of these types\.\nNothing was changed/,
  )
  assert.match(message, /rm -r /)
  await (await store.reopenWith('type Post { id: ID! }')).close()
})

onEachStore('a schema that breaks clients', (on) => {
  const first =
    'type Post { id: ID! title: String! nick: String tags: [Tag!]! about: Tag } type Tag { id: ID! posts: [Post!]! @relation(inverse: "tags") }'

  test('is served if that is allowed; a removed field can come back with another type', async () => {
    const store = await openTestStore(first, { on })
    await store.replace('Post', 'p', { title: 'one', nick: 'o' })
    const less = await store.reopenWith('type Post { id: ID! title: String! }', allowed)
    assert.deepEqual(await less.one('Post', 'p'), { id: 'p', title: 'one' })

    const anew =
      'type Post { id: ID! title: String! nick: Int tags: [Tag!]! } type Tag { id: ID! size: Int! posts: [Post!]! }'
    const more = await less.reopenWith(anew, allowed)
    await more.replace('Tag', 't', { size: 1 })
    await more.update('Post', 'p', { nick: 5, tags: ['t'] })
    assert.deepEqual(await more.one('Post', 'p', ['nick', { tags: ['id', 'size'] }]), {
      nick: 5,
      tags: [{ id: 't', size: 1 }],
    })
    const same = await more.reopenWith('type Post { id: ID! title: Int } type Tag { id: ID! size: Int! }', allowed)
    assert.deepEqual(await same.one('Post', 'p'), { id: 'p', title: null })
    await same.close()
  })

  test('finds its earlier rows again when it comes back unchanged', async () => {
    const store = await openTestStore(first, { on })
    await store.replace('Tag', 't', {})
    await store.replace('Post', 'p', { title: 'one', nick: 'o', tags: ['t'], about: 't' })
    const before = await store.one('Post', 'p', ['title', 'nick', { tags: ['id'] }, { about: ['id'] }])
    const less = await store.reopenWith('type Post { id: ID! title: Int }', allowed)
    await less.update('Post', 'p', { title: 7 })
    const again = await less.reopenWith(first, allowed)
    assert.deepEqual(await again.one('Post', 'p', ['title', 'nick', { tags: ['id'] }, { about: ['id'] }]), before)
    await again.close()
  })

  test('does not come back with a required field that rows lack', async () => {
    const less = 'type Post { id: ID! }'
    const store = await (await openTestStore('type Post { id: ID! title: String! }', { on })).reopenWith(less, allowed)
    await store.replace('Post', 'p', {})
    assert.match(await refusal(store, 'type Post { id: ID! title: String! }', true), /Post\.title is new and required/)
    await (await store.reopenWith(less)).close()
  })

  test('keeps required references: their rows can only be deleted by the schema that has them', async () => {
    const store = await openTestStore(
      'type User { id: ID! } type Post { id: ID! by: User! @deprecated readers: [User!]! @deprecated } type Note { id: ID! of: User! }',
      { on },
    )
    await store.replace('User', 'u', {})
    await store.replace('Post', 'p', { by: 'u', readers: ['u'] })
    await store.replace('Note', 'n', { of: 'u' })
    const less = await store.reopenWith('type User { id: ID! } type Post { id: ID! }', allowed)
    const refused = await apiErrorOf(less.delete('User', 'u'))
    assert.equal(refused.code, 'CONFLICT')
    assert.match(refused.message, /that this version of the schema does not know refer to it/)
    assert.match(String(refused.hint), /twain migrate --drop/)
    assert.deepEqual(await less.one('User', 'u'), { id: 'u' })
    await less.close()
  })

  test('is refused if rows violate it, with every violation', async () => {
    const previous = `type Post { id: ID! size: Int name: String status: Status also: [Status!] place: Place any: Any }
      type Tag { id: ID! } type Box { id: ID! } enum Status { A B } type Place { x: Int } union Any = Tag | Box`
    const store = await openTestStore(previous, { on })
    await store.replace('Tag', 't', {})
    await store.replace('Post', 'p', { name: 'n', status: 'B', also: ['B'], place: { x: 1 }, any: 't' })
    await store.replace('Post', 'q', { name: 'n' })
    const cases: [string, RegExp][] = [
      [previous.replace('size: Int', 'size: Int!'), /Post\.size was optional/],
      [previous.replace('name: String', 'name: String @unique'), /Post\.name is unique now/],
      [previous.replace('A B', 'A'), /the value B of Status was removed/],
      [previous.replace('x: Int', 'x: String'), /Place\.x was Int/],
      [previous.replace('Tag | Box', 'Box'), /Tag is no longer a member of Any/],
      [previous.replace('size: Int', 'size: Int new: Int!'), /Post\.new is new and required/],
      [previous.replace('name: String', 'name: Int!'), /Post\.name was String and is Int now/],
    ]
    for (const [sdl, sentence] of cases) {
      const message = await refusal(store, sdl, true)
      assert.match(message, /do not fit this schema/)
      assert.match(message, sentence)
    }
    const both = previous.replace('A B', 'A').replace('name: String', 'name: String @unique')
    assert.equal((await refusal(store, both, true)).match(/\n {2}- /g)?.length, 2)

    const repaired = await store.reopenWith(previous)
    await repaired.update('Post', 'p', { name: 'm', status: null, also: ['A'], place: null, any: null, size: 1 })
    await repaired.update('Post', 'q', { size: 2 })
    const all = previous
      .replace('A B', 'A')
      .replace('name: String', 'name: String @unique')
      .replace('size: Int', 'size: Int!')
      .replace('x: Int', 'x: String')
      .replace('Tag | Box', 'Box')
    const now = await repaired.reopenWith(all, allowed)
    assert.deepEqual(await now.one('Post', 'p', ['name', 'size', 'also']), { name: 'm', size: 1, also: ['A'] })
    await now.close()
  })
})

onEachStore('an older schema', (on) => {
  const older = 'type Post { id: ID! title: String! old: Int @deprecated }'
  const newer = `type Post { id: ID! title: String! size: Int! @default(value: 7) kind: Kind }
    enum Kind { X } type Tag { id: ID! }`

  test('comes back if its successor was additive, and the newer one after it', async () => {
    const store = await openTestStore(older, { on })
    await store.replace('Post', 'p', { title: 'one', old: 3 })
    const ahead = await store.reopenWith(newer)
    await ahead.replace('Post', 'q', { title: 'two', size: 9, kind: 'X' })
    const back = await ahead.reopenWith(older)
    assert.deepEqual(await back.one('Post', 'p'), { id: 'p', title: 'one', old: 3 })
    await back.replace('Post', 'r', { title: 'three' })
    await back.update('Post', 'q', { title: 'deux' })
    const again = await back.reopenWith(newer)
    assert.deepEqual(await again.many('Post', { select: ['id', 'title', 'size', 'kind'] }), [
      { id: 'p', title: 'one', size: 7, kind: null },
      { id: 'q', title: 'deux', size: 9, kind: 'X' },
      { id: 'r', title: 'three', size: 7, kind: null },
    ])
    await again.close()
  })

  test('does not come back if it was never served, or if its successor broke it', async () => {
    const store = await (await openTestStore(older, { on })).reopenWith(newer)
    assert.match(await refusal(store, `${older} type Own { id: ID! }`), /field Post\.size was removed/)
    const broken = await (await store.reopenWith(newer)).reopenWith('type Post { id: ID! title: Int! }', allowed)
    assert.match(await refusal(broken, older), /Post\.title was Int and is String now/)
    await (await broken.reopenWith('type Post { id: ID! title: Int! }')).close()
  })

  test('does not come back if rows violate its unique fields', async () => {
    const unique = 'type Post { id: ID! title: String @unique }'
    const plain = 'type Post { id: ID! title: String }'
    const store = await (await openTestStore(unique, { on })).reopenWith(plain, allowed)
    await store.replace('Post', 'p', { title: 'one' })
    const again = await (await store.reopenWith(unique, allowed)).reopenWith(plain, allowed)
    await again.replace('Post', 'q', { title: 'one' })
    assert.match(await refusal(again, unique), /Post\.title is unique now/)
    await (await again.reopenWith(plain)).close()
  })
})

test('the database is backed up before data is retired, and only then', async () => {
  const store = await openTestStore('type Post { id: ID! title: String nick: String }')
  await store.replace('Post', 'p', { title: 'one' })
  const less = await store.reopenWith('type Post { id: ID! title: String }', allowed)
  const copies = () =>
    readdirSync(less.data).flatMap((name) => (name === 'backups' ? readdirSync(join(less.data, name)) : []))
  assert.deepEqual(copies(), [])
  const none = await less.reopenWith('type Post { id: ID! }', allowed)
  const [copy = ''] = copies()
  const database = new DatabaseSync(join(none.data, 'backups', copy), { readOnly: true })
  assert.deepEqual({ ...database.prepare('SELECT id, title FROM Post').get() }, { id: 'p', title: 'one' })
  database.close()
  assert.equal((await none.query('PRAGMA integrity_check'))[0]!.integrity_check, 'ok')
  await none.close()
})
