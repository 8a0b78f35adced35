// A create that changes the row instead, if one has its unique key (docs/reference/rest.md, R66): `POST /posts?onConflict=slug`,
// and `upsertPost(key, create, update)`.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { defineService, type PendingWrite } from '../../packages/twain/src/code/define-service.ts'
import { graphqlData, openApis, type RestAnswer, restBody, type TestApis } from '../harness/open-apis.ts'
import { openWithPeople, type Person } from '../harness/open-with-people.ts'

const sdl = `
  type Post @allow {
    id: ID! slug: String! @unique title: String! words: Int rank: Int @unique kept: String @immutable status: Status! @default(value: DRAFT)
    topic: String @was(name: "subject") code: String @unique @was(name: "number") comments: [Comment!]! tags: [Tag!]!
  }
  enum Status { DRAFT @next(to: [PUBLISHED]) PUBLISHED }
  type Comment @allow { id: ID! text: String! rank: Int @unique post: Post! @relation(onDelete: CASCADE) }
  type Tag @allow { id: ID! word: String! @unique posts: [Post!]! }
  type List @allow { id: ID! name: String! items: [Item!]! }
  type Item @allow { id: ID! list: List! @unique(with: "name") name: String! amount: Int }
`

interface Problem {
  detail: string
  errors?: { path: string; code: string; message: string }[]
}

interface Row {
  id: string
  slug: string
  title: string
  words: number | null
  _version: number
}

const problemOf = ({ body }: RestAnswer) => body as Problem
const places = (answer: RestAnswer) => problemOf(answer).errors?.map(({ path, code }) => [path, code])

describe('upserts', () => {
  let apis: TestApis
  let count = 0
  before(async () => {
    apis = await openApis(sdl, { transaction: 20 })
  })
  after(() => apis.close())

  const fresh = (word: string) => `${word}-${++count}`
  const fields = 'id,slug,title,words,_version'
  const post = (body: object, headers = {}) =>
    apis.rest('POST', `/posts?onConflict=slug&fields=${fields}`, body, headers)
  const mutation = `mutation ($key: PostKey!, $create: CreatePostInput!, $update: UpdatePostInput) {
    upsertPost(key: $key, create: $create, update: $update) { id slug title words _version }
  }`
  const upsert = async (variables: { key: object; create: object; update?: object | null }) =>
    (await graphqlData(apis, mutation, variables)).upsertPost as Row

  test('a create makes the row, and changes the one that has the key', async () => {
    const slug = fresh('knots')
    const made = await post({ slug, title: 'One', words: 1 })
    const row = made.body as Row
    assert.deepEqual([made.status, made.headers.location], [201, `/posts/${row.id}`])
    const changed = await post({ slug, title: 'Two' })
    assert.deepEqual([changed.status, changed.headers.location], [200, undefined])
    assert.deepEqual(changed.body, { ...row, title: 'Two', _version: 2 })
    const same = await post({ slug, title: 'Two' })
    assert.deepEqual([same.status, same.body], [200, changed.body])
    const left = await post({ slug, title: 'Three' }, { prefer: 'resolution=ignore-duplicates' })
    assert.deepEqual([left.status, left.body], [200, changed.body])
    assert.equal(left.headers['preference-applied'], 'resolution=ignore-duplicates')
    const merged = await post({ slug, title: 'Four' }, { prefer: 'resolution=merge-duplicates' })
    assert.deepEqual(
      [(merged.body as Row).title, merged.headers['preference-applied']],
      ['Four', 'resolution=merge-duplicates'],
    )
    const unasked = await apis.rest(
      'POST',
      '/posts',
      { slug: fresh('x'), title: 'x' },
      { prefer: 'resolution=ignore-duplicates' },
    )
    assert.deepEqual([unasked.status, unasked.headers['preference-applied']], [201, undefined])
    const graphql = await upsert({ key: { slug }, create: { slug, title: 'Five', words: 5 } })
    assert.deepEqual([graphql.id, graphql.title, graphql.words, graphql._version], [row.id, 'Five', 5, 4])
  })

  test('update says what changes of a row that is there', async () => {
    const slug = fresh('g')
    const create = { slug, title: 'New', words: 1 }
    const made = await upsert({ key: { slug }, create, update: { title: 'Old' } })
    assert.deepEqual([made.title, made._version], ['New', 1])
    const changed = await upsert({ key: { slug }, create, update: { title: 'Old', _increment: { words: 2 } } })
    assert.deepEqual([changed.id, changed.title, changed.words], [made.id, 'Old', 3])
    const left = await upsert({ key: { slug }, create, update: {} })
    assert.deepEqual(left, changed)
    const merged = await upsert({ key: { slug }, create, update: null })
    assert.deepEqual([merged.title, merged.words], ['New', 1])
    const wrong = await apis.graphql(mutation, {
      key: { slug },
      create: { slug: 'other', title: 'x' },
      update: { slug: 'y' },
    })
    assert.deepEqual(
      wrong.errors[0]?.extensions?.errors?.map(({ path, code }) => [path, code]),
      [
        ['slug', 'READONLY'],
        ['slug', 'READONLY'],
      ],
    )
  })

  test('both APIs make the same plan', async () => {
    const slug = fresh('plan')
    apis.executed.length = 0
    await apis.rest('POST', '/posts?onConflict=slug&fields=id,title', { slug, title: 'a', words: 1 })
    const query =
      'mutation ($create: CreatePostInput!) { upsertPost(key: {slug: "SLUG"}, create: $create) { id title } }'
    await graphqlData(apis, query.replace('SLUG', slug), { create: { slug, title: 'a', words: 1 } })
    const [rest, graphql] = apis.executed
    assert.deepEqual(rest!.plan, graphql!.plan)
    assert.deepEqual(rest!.values, graphql!.values)
  })

  test('many rows are one transaction, in their order', async () => {
    const [a, b] = [fresh('a'), fresh('b')]
    const existing = (await post({ slug: a, title: 'A', words: 7 })).body as Row
    const many = await post([
      { slug: a, title: 'A2' },
      { slug: b, title: 'B' },
      { slug: b, title: 'B2' },
    ])
    const rows = many.body as Row[]
    assert.equal(many.status, 201)
    assert.deepEqual(
      rows.map(({ title, words }) => [title, words]),
      [
        ['A2', 7],
        ['B', null],
        ['B2', null],
      ],
    )
    assert.deepEqual([rows[0]!.id, rows[1]!.id], [existing.id, rows[2]!.id])
    const again = await post([{ slug: a, title: 'A3' }])
    assert.equal(again.status, 200)
    const refused = await post([{ slug: a, title: 'A4' }, { slug: fresh('c') }, { title: 'no key' }])
    assert.equal(refused.status, 400)
    assert.deepEqual(places(refused), [
      ['1.title', 'REQUIRED'],
      ['2.slug', 'REQUIRED'],
    ])
    const conflict = await post([
      { slug: a, title: 'A5' },
      { slug: fresh('d'), title: 'D', rank: 1 },
      { slug: fresh('e'), title: 'E', rank: 1 },
    ])
    assert.deepEqual([conflict.status, places(conflict)], [409, [['2.rank', 'UNIQUE']]])
    const [now] = (await restBody(apis, 'GET', `/posts?slug=${a}`)) as Row[]
    assert.equal(now!.title, 'A3')
  })

  test('a key of several fields, in a list of its owner too', async () => {
    const list = (await restBody(apis, 'POST', '/lists', { name: 'l' })) as Row
    const path = `/lists/${list.id}/items?onConflict=name,list&fields=amount`
    const first = await apis.rest('POST', path, { name: 'milk', amount: 1 })
    const second = await apis.rest('POST', path, { name: 'milk', amount: 2 })
    assert.deepEqual([first.status, second.status, second.body], [201, 200, { amount: 2 }])
    const query = `mutation ($list: ID!) {
      upsertItem(key: {listAndName: {list: $list, name: "milk"}}, create: {list: $list, name: "milk", amount: 3}) { amount }
    }`
    assert.deepEqual(await graphqlData(apis, query, { list: list.id }), { upsertItem: { amount: 3 } })
    const items = await restBody(apis, 'GET', `/lists/${list.id}/items?fields=amount`)
    assert.deepEqual(items, [{ amount: 3 }])
  })

  test('an unknown key is a 400 that names those there are', async () => {
    for (const key of ['slog', 'title', 'id', 'slug,rank', '']) {
      const answer = await apis.rest('POST', `/posts?onConflict=${key}`, { slug: 'x', title: 'x' })
      assert.deepEqual([answer.status, places(answer)?.[0]], [400, ['onConflict', 'UNKNOWN']], key)
      assert.match(problemOf(answer).errors![0]!.message, /slug and rank and code/)
    }
    const get = await apis.rest('GET', '/posts?onConflict=slug')
    assert.equal(get.status, 400)
    const patch = await apis.rest('PUT', '/posts/slug=x?onConflict=slug', { title: 'x' })
    assert.equal(patch.status, 400)
  })

  test('rows of lists belong to a new row; links are set of both', async () => {
    const slug = fresh('nested')
    const tag = (await restBody(apis, 'POST', '/tags', { word: fresh('t') })) as Row
    const body = { slug, title: 'x', comments: [{ text: 'first' }], _tags: { create: [{ word: fresh('t') }] } }
    const path = '/posts?onConflict=slug&fields=id,comments.text,tags.id'
    const made = (await apis.rest('POST', path, body)).body as { comments: unknown[]; tags: unknown[] }
    assert.deepEqual([made.comments, made.tags.length], [[{ text: 'first' }], 1])
    const again = await apis.rest('POST', path, body)
    assert.deepEqual([again.status, again.body], [200, made])
    const linked = await apis.rest('POST', path, { slug, title: 'x', tags: [tag.id] })
    assert.deepEqual((linked.body as { tags: unknown[] }).tags, [{ id: tag.id }])
  })

  test('a conflict of a row that is created along is a 409 with its place, and nothing is written', async () => {
    const slug = fresh('along')
    const comments = [
      { text: 'first', rank: 7 },
      { text: 'second', rank: 7 },
    ]
    const create = { slug, title: 'x', comments }
    const expected = [['comments.1.rank', 'UNIQUE']]
    const rest = await post(create)
    assert.deepEqual([rest.status, places(rest)], [409, expected], JSON.stringify(rest.body))
    const { errors } = await apis.graphql(mutation, { key: { slug }, create })
    assert.equal(errors[0]?.extensions?.code, 'CONFLICT')
    assert.deepEqual(
      errors[0]?.extensions?.errors?.map(({ path, code }) => [path, code]),
      expected,
    )
    assert.deepEqual(await restBody(apis, 'GET', `/posts?slug=${slug}`), [])
  })

  test('immutable fields and states are judged as in an update', async () => {
    const slug = fresh('state')
    assert.equal((await post({ slug, title: 'x', kept: 'a' })).status, 201)
    assert.equal((await post({ slug, title: 'y', kept: 'a' })).status, 200)
    const changed = await post({ slug, title: 'y', kept: 'b' })
    assert.deepEqual([changed.status, places(changed)], [400, [['kept', 'READONLY']]])
    assert.equal((await post({ slug: fresh('state'), title: 'x', status: 'PUBLISHED' })).status, 409)
    assert.equal((await post({ slug, title: 'x', status: 'PUBLISHED' })).status, 200)
    const back = await post({ slug, title: 'x', status: 'DRAFT' })
    assert.deepEqual([back.status, places(back)?.[0]?.[0]], [409, 'status'])
  })

  test('former names work', async () => {
    const code = fresh('code')
    const body = { number: code, slug: fresh('n'), title: 'x', subject: 's' }
    const made = await apis.rest('POST', '/posts?onConflict=number&fields=id,topic', body)
    const again = await apis.rest('POST', '/posts?onConflict=code&fields=id,topic', { ...body, subject: 't' })
    assert.deepEqual([made.status, again.status], [201, 200])
    assert.deepEqual(again.body, { id: (made.body as Row).id, topic: 't' })
    const query = 'mutation ($c: CreatePostInput!, $n: String!) { upsertPost(key: {number: $n}, create: $c) { topic } }'
    assert.deepEqual(await graphqlData(apis, query, { n: code, c: { ...body, subject: 'u' } }), {
      upsertPost: { topic: 'u' },
    })
  })

  test('an upsert is part of a batch and of a transaction', async () => {
    const slug = fresh('batch')
    const operation = (title: string) => ({ method: 'POST', path: '/posts?onConflict=slug', body: { slug, title } })
    const done = await apis.rest('POST', '/batch', [operation('a'), operation('b')])
    assert.deepEqual(
      (done.body as { status: number }[]).map(({ status }) => status),
      [201, 200],
    )
    const refers = await apis.rest('POST', '/batch', [
      operation('c'),
      { method: 'POST', path: '/comments', body: { text: 'x', post: '$0.id' } },
    ])
    assert.deepEqual([refers.status, places(refers)], [400, [['1.post', 'UNKNOWN']]])
    const transaction = `mutation ($key: PostKey!, $create: CreatePostInput!) @transaction {
      a: upsertPost(key: $key, create: $create, update: {words: 9}) { words } b: deletePostBy(key: $key) { success }
    }`
    const data = await graphqlData(apis, transaction, { key: { slug }, create: { slug, title: 'x' } })
    assert.deepEqual(data, { a: { words: 9 }, b: { success: true } })
  })

  test('an idempotency key makes it once', async () => {
    const slug = fresh('once')
    const headers = { 'idempotency-key': `"${slug}"` }
    const [first, second] = [await post({ slug, title: 'x' }, headers), await post({ slug, title: 'x' }, headers)]
    assert.deepEqual([first.status, second.status, second.headers['idempotent-replayed']], [201, 201, 'true'])
  })

  test('100 at once make one row', async () => {
    const slug = fresh('race')
    const replies = await Promise.all(
      Array.from({ length: 100 }, async (_, words) => {
        if (words % 2 === 0) return (await post({ slug, title: 'r', words })).body as Row
        return upsert({ key: { slug }, create: { slug, title: 'r' }, update: { words } })
      }),
    )
    assert.equal(new Set(replies.map(({ id }) => id)).size, 1)
    assert.equal(
      Math.max(...replies.map(({ _version }) => _version)),
      new Set(replies.map(({ _version }) => _version)).size,
    )
  })

  test('upserts beside creates make one row, and no error', { timeout: 120_000 }, async () => {
    for (let round = 0; round < 30; round++) {
      const slug = fresh('mixed')
      const replies = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          index % 2 === 0 ? post({ slug, title: 'r' }) : apis.rest('POST', '/posts', { slug, title: 'r' }),
        ),
      )
      const upserts = replies.filter((_, index) => index % 2 === 0).map(({ status }) => status)
      assert.ok(
        upserts.every((status) => status === 200 || status === 201),
        String(upserts),
      )
      assert.equal(replies.filter(({ status }) => status === 201).length, 1)
    }
  })
})

const ruled = `
  type User @account @allow(to: [READ, CREATE]) @allow(who: "self") { id: ID! email: String! @unique name: String }
  type Note @allow(who: "owner", to: [READ, UPDATE]) @allow(to: [READ], where: {public: {eq: true}}) @allow(to: [CREATE], where: {title: {ne: "no"}}) {
    id: ID! name: String! @unique title: String public: Boolean locked: String @allow(who: "owner", to: [UPDATE]) owner: User! @auto(set: VIEWER)
  }
  type Log @allow(to: [READ]) @allow(who: "signedIn", to: [CREATE]) { id: ID! day: String! @unique text: String }
  type Wiki @allow(to: [READ]) @allow(who: "signedIn", to: [UPDATE]) { id: ID! page: String! @unique text: String }
`

describe('rules and upserts', () => {
  let apis: TestApis
  let ann: Person
  let bob: Person
  before(async () => {
    ;({ apis, ann, bob } = await openWithPeople(ruled))
  })
  after(() => apis.close())

  const path = '/notes?onConflict=name&fields=id,title'

  test('a create needs CREATE, a change needs UPDATE', async () => {
    assert.equal((await ann.rest('POST', path, { name: 'a', title: 'no' })).status, 403)
    assert.equal((await ann.rest('POST', path, { name: 'a', title: '1', public: true })).status, 201)
    assert.equal((await ann.rest('POST', path, { name: 'a', title: 'no' })).status, 200)
    assert.equal((await bob.rest('POST', path, { name: 'a', title: '2' })).status, 403)
    const nobody = { name: 'new', title: '2' }
    const [upsert, create] = [await apis.rest('POST', path, nobody), await apis.rest('POST', '/notes', nobody)]
    assert.deepEqual([upsert.status, places(upsert)], [create.status, places(create)])
    const left = await bob.rest('POST', path, { name: 'a', title: '2' }, { prefer: 'resolution=ignore-duplicates' })
    assert.deepEqual([left.status, (left.body as { title: string }).title], [200, 'no'])
    const { errors } = await bob.graphql(
      'mutation { upsertNote(key: {name: "a"}, create: {name: "a", title: "3"}) { id } }',
    )
    assert.equal(errors[0]?.extensions?.code, 'FORBIDDEN')
    const none = 'mutation { upsertNote(key: {name: "a"}, create: {name: "a", title: "3"}, update: {}) { title } }'
    assert.deepEqual(await graphqlData(bob, none), { upsertNote: { title: 'no' } })
  })

  test('a row that may not be read is the conflict of a create', async () => {
    await restBody(ann, 'POST', '/notes', { name: 'secret', title: 't' })
    const upsert = await bob.rest('POST', path, { name: 'secret', title: 'x' })
    const leave = await bob.rest(
      'POST',
      path,
      { name: 'secret', title: 'x' },
      { prefer: 'resolution=ignore-duplicates' },
    )
    const create = await bob.rest('POST', '/notes', { name: 'secret', title: 'x' })
    assert.deepEqual([upsert.status, leave.status, create.status], [409, 409, 409])
    assert.deepEqual(problemOf(upsert).errors, problemOf(create).errors)
    assert.deepEqual(problemOf(leave).errors, problemOf(create).errors)
  })

  test('who may only create, or only change, is judged by what happens', async () => {
    const log = (text: string) => ann.rest('POST', '/logs?onConflict=day', { day: 'monday', text })
    assert.equal((await log('first')).status, 201)
    assert.equal((await log('second')).status, 403)
    const wiki = await ann.rest('POST', '/wikis?onConflict=page', { page: 'home', text: 'x' })
    assert.equal(wiki.status, 403)
    const nobody = await apis.rest('POST', '/logs?onConflict=day', { day: 'monday' })
    assert.equal(nobody.status, 401)
  })

  test('the password of an account is that of a new one', async () => {
    const path = '/users?onConflict=email&fields=id,name'
    const made = await apis.rest('POST', path, { email: 'cy@example.org', password: 'correct horse', name: 'Cy' })
    assert.equal(made.status, 201)
    const taken = await apis.rest('POST', path, { email: 'ann@example.org', password: 'correct horse', name: 'Eve' })
    assert.equal(taken.status, 401)
    const own = await ann.rest('POST', path, { email: 'ann@example.org', password: 'battery staple', name: 'Ann' })
    assert.deepEqual([own.status, own.body], [200, { id: ann.id, name: 'Ann' }])
    const query =
      'mutation ($c: CreateUserInput!, $u: UpdateUserInput) { upsertUser(key: {email: "ann@example.org"}, create: $c, update: $u) { id } }'
    const c = { email: 'ann@example.org', password: 'battery staple' }
    const { errors } = await ann.graphql(query, { c, u: { password: 'battery staple' } })
    assert.deepEqual(
      errors[0]?.extensions?.errors?.map(({ path }) => path),
      ['update.password'],
    )
  })
})

test('hooks and events see what happened', async () => {
  const seen: unknown[] = []
  const service = {
    before: {
      Post: async ({ kind, next }: PendingWrite) => {
        const { title } = next as { title: string }
        seen.push([kind, title])
        if (title === 'bad') throw new Error('no')
      },
    },
  }
  const apis = await openApis(sdl, {}, undefined, undefined, undefined, { service })
  try {
    const send = (slug: string, title: string) => apis.rest('POST', '/posts?onConflict=slug', { slug, title })
    assert.equal((await send('a', '1')).status, 201)
    assert.equal((await send('a', '2')).status, 200)
    assert.deepEqual(seen, [
      ['create', '1'],
      ['update', '2'],
    ])
    const race = await Promise.all(Array.from({ length: 20 }, (_, n) => send('b', `t${n}`)))
    const statuses = race.map(({ status }) => status)
    assert.deepEqual(statuses.filter((status) => status === 201).length, 1)
    assert.ok(
      statuses.every((status) => status < 300),
      String(statuses),
    )
  } finally {
    await apis.close()
  }
})

interface PostWriter {
  upsert(key: object, create: object, update?: object): Promise<Row>
}

test('custom code creates a row, or changes the one that has the key, under the rules of its viewer', async () => {
  const service = defineService({
    resolvers: {
      Mutation: {
        put: async ({ key, create, update }: Record<string, object>, { write }: { write: { Post: PostWriter } }) => {
          const { id, title } = await write.Post.upsert(key!, create!, update)
          return `${id} ${title}`
        },
      },
    },
  } as never)
  const custom = 'extend type Mutation { put(key: JSON!, create: JSON!, update: JSON): String @allow }'
  const apis = await openApis(`${sdl} ${custom}`, {}, undefined, undefined, undefined, { service })
  try {
    const put = async (variables: object) =>
      apis.graphql(
        'mutation ($key: JSON!, $create: JSON!, $update: JSON) { put(key: $key, create: $create, update: $update) }',
        variables,
      )
    const key = { slug: 'knots' }
    const { data: made } = await put({ key, create: { title: 'One' } })
    const [id, title] = String(made?.put).split(' ')
    assert.equal(title, 'One')
    assert.equal((await put({ key, create: { slug: 'knots', title: 'Two' } })).data?.put, `${id} Two`)
    assert.equal((await put({ key, create: { title: 'Three' }, update: { words: 3 } })).data?.put, `${id} Two`)
    assert.equal(((await restBody(apis, 'GET', `/posts/${id}`)) as Row).words, 3)
    const { errors } = await put({ key: { title: 'x' }, create: { title: 'x' } })
    assert.equal(errors[0]?.extensions?.code, 'VALIDATION_FAILED', JSON.stringify(errors))
  } finally {
    await apis.close()
  }
})
