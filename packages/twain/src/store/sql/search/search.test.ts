// Word search as SQL, and what guards of fields leave of it.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { planMany } from '../../plan.fixture.ts'
import { onEachStore, openTestStore, type StoreName, type TestStore } from '../../store.fixture.ts'

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
    const boundPlan = planMany(store.model, 'Post', { search: 'x', select: ['id'] })
    return store
      .as(as)
      .sql(boundPlan, undefined, on)
      .match(/WHERE (.*?) (?:OFFSET 0|ORDER BY)/s)![1]!
      .replaceAll(/\bt\d\./g, 't1.')
  }

  test('is one index lookup if every field may be read', () => {
    assert.equal(
      sql('sqlite', null),
      't1."_n" IN (SELECT rowid FROM "twain_Post_words" WHERE "twain_Post_words" MATCH ?3)',
    )
    assert.equal(sql('postgres', null), 't1."_words" @@ $3::tsquery')
  })

  test('makes one more lookup for each subset of guards', () => {
    const owner = 't1."owner" = $5::text'
    const builder = `(t1."isPublic" = $7::boolean OR ${owner})`
    assert.equal(
      sql('postgres', bob),
      `t1."_words" @@ $3::tsquery AND ((t1."_words" @@ $4::tsquery) OR (${owner} AND t1."_words" @@ $6::tsquery) OR ` +
        `(${builder} AND t1."_words" @@ $8::tsquery) OR (${owner} AND ${builder}))`,
    )
    assert.match(
      sql('sqlite', bob),
      /\(t1\."owner" = \?5 AND t1\."_n" IN \(SELECT rowid FROM "twain_Post_words" WHERE "twain_Post_words" MATCH \?6\)\)/,
    )
  })

  test('is compiled once, whatever the words', () => {
    const [one, other] = ['a', `b" OR "c' & \\`].map((search) =>
      planMany(store.model, 'Post', { search, select: ['id'] }),
    )
    assert.equal(store.sql(one!), store.sql(other!))
  })
})

onEachStore('a search by a viewer who may not read every field', (on) => {
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

  test('R114: a field that may be read on some rows finds only these', async () => {
    assert.equal(await find(ann, 'milk'), 'a')
    assert.equal(await find(bob, 'milk'), 'b')
    assert.equal(await find(auditor, 'milk'), 'ab')
    assert.equal(await find(auditor, 'remember'), '')
    assert.equal(await find(ann, 'bread'), 'ab')
    assert.equal(await find(auditor, 'bread'), 'b')
  })

  test('R114: words match across fields, each where it may be read', async () => {
    assert.equal(await find(ann, 'hello milk bread'), 'a')
    assert.equal(await find(bob, 'hello milk bread'), 'b')
    assert.equal(await find(auditor, 'hello milk bread'), 'b')
    assert.equal(await find(auditor, 'hush bre'), 'b')
    assert.equal(await find(ann, 'hush'), '')
    assert.equal(await find(ann, 'hel'), 'ab')
  })
})

onEachStore('a search in fields with many different guards', (on) => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const many = `
    type User @account(login: "name") @allow { id: ID! name: String! @unique }
    type Post @allow { id: ID! open: String @search rank: Int
      ${names.map((name, index) => `${name}: String @search @allow(to: [READ], where: {rank: {gt: ${index}}})`).join('\n')} }`

  test('R114: finds what may be read, word by word', async () => {
    const store = await openTestStore(many, { on })
    const texts = Object.fromEntries(names.map((name) => [name, `in-${name} all`]))
    for (const rank of [0, 3, 6]) await store.as(null).replace('Post', `r${rank}`, { open: 'open', rank, ...texts })
    const find = async (search: string) =>
      (await store.as(bob).many('Post', { search, select: ['id'] })).map(({ id }) => id).join(' ')
    assert.equal(await find('open'), 'r0 r3 r6')
    assert.equal(await find('open al'), 'r3 r6')
    assert.equal(await find('in a b c open'), 'r3 r6')
    assert.equal(await find('in a d'), 'r6')
    await store.close()
  })
})
