// Word search as SQL, and what guards of fields leave of it.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { planMany } from '../plan.fixture.ts'
import { onEachStore, openTestStore, type StoreName, type TestStore } from '../store.fixture.ts'

const sdl = `
  type User @account(login: "name") @allow { id: ID! name: String! @unique }
  type Post @allow {
    id: ID!
    title: String @search
    owner: User
    isPublic: Boolean
    notes: String @search @allow(who: "owner", to: [READ])
    draft: String @search @allow(to: [READ], where: {isPublic: {eq: true}}) @allow(who: "owner", to: [READ])
    secret: String @search @allow(role: "auditor", to: [READ])
  }
`
const ann = { account: 'ann' }
const bob = { account: 'bob' }
const auditor = { account: 'aud', roles: ['auditor'] }

describe('a search as SQL', () => {
  let store: TestStore
  before(async () => {
    store = await openTestStore(sdl)
  })
  after(() => store.close())

  const sql = (on: StoreName, as: Parameters<TestStore['as']>[0]) => {
    const question = planMany(store.model, 'Post', { search: 'x', select: ['id'] })
    return store
      .as(as)
      .sql(question, undefined, on)
      .match(/WHERE (.*) ORDER BY/s)![1]
  }

  test('is one look into the index where every field may be read', () => {
    assert.equal(
      sql('sqlite', null),
      't1."_n" IN (SELECT rowid FROM "twain_Post_words" WHERE "twain_Post_words" MATCH ?3)',
    )
    assert.equal(sql('postgres', null), 't1."_words" @@ $3::tsquery')
  })

  test('asks each row it finds for its guards, word by word', () => {
    assert.equal(
      sql('postgres', bob),
      't1."_words" @@ $3::tsquery AND NOT EXISTS (SELECT 1 FROM ' +
        `(SELECT nullif((e)::text, 'null')::json AS value FROM json_array_elements($4::json) AS e) AS t2 WHERE (` +
        '(t1."_words" @@ (t2.value ->> 0)::tsquery) OR ' +
        '(t1."owner" = $5::text AND t1."_words" @@ (t2.value ->> 1)::tsquery) OR ' +
        '((t1."isPublic" = $6::boolean OR t1."owner" = $5::text) AND t1."_words" @@ (t2.value ->> 2)::tsquery)) IS NOT TRUE)',
    )
    assert.match(
      sql('sqlite', bob)!,
      /\(t1\."owner" = \?5 AND EXISTS \(SELECT 1 FROM "twain_Post_words" AS t4 WHERE t4\."twain_Post_words" MATCH t2\.value ->> 1 AND t4\.rowid = t1\."_n"\)\)/,
    )
  })

  test('is compiled once, whatever is searched for', () => {
    const [one, other] = ['a', `b" OR "c' & \\`].map((search) =>
      planMany(store.model, 'Post', { search, select: ['id'] }),
    )
    assert.equal(store.sql(one!), store.sql(other!))
  })
})

onEachStore('a search by who may not read everything', (on) => {
  let store: TestStore
  before(async () => {
    store = await openTestStore(sdl, { on })
    const all = store.as(null)
    for (const name of ['ann', 'bob', 'aud']) await all.replace('User', name, { name })
    const post = { title: 'Hello', notes: 'remember milk', draft: 'maybe bread', secret: 'hush milk' }
    await all.replace('Post', 'a', { ...post, owner: 'ann', isPublic: false })
    await all.replace('Post', 'b', { ...post, owner: 'bob', isPublic: true })
  })
  after(() => store.close())

  const find = async (as: Parameters<TestStore['as']>[0], search: string) =>
    (await store.as(as).many('Post', { search, select: ['id'] })).map(({ id }) => id).join('')

  test('R114: a field that may be read on some rows finds these alone', async () => {
    assert.equal(await find(ann, 'milk'), 'a')
    assert.equal(await find(bob, 'milk'), 'b')
    assert.equal(await find(auditor, 'milk'), 'ab')
    assert.equal(await find(auditor, 'remember'), '')
    assert.equal(await find(ann, 'bread'), 'ab')
    assert.equal(await find(auditor, 'bread'), 'b')
  })

  test('R114: and its words go together with those of other fields, each where it may be read', async () => {
    assert.equal(await find(ann, 'hello milk bread'), 'a')
    assert.equal(await find(bob, 'hello milk bread'), 'b')
    assert.equal(await find(auditor, 'hello milk bread'), 'b')
    assert.equal(await find(auditor, 'hush bre'), 'b')
    assert.equal(await find(ann, 'hush'), '')
    assert.equal(await find(ann, 'hel'), 'ab')
  })
})
