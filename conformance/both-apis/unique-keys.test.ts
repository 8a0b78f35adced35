// One row by a unique key (docs/reference/rest.md, R9): `/posts/slug=knots`, and `postBy(key: {slug: "knots"})`.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { PendingWrite } from '../../packages/twain/src/code/define-service.ts'
import {
  type ApiClient,
  graphqlData,
  openApis,
  type RestAnswer,
  restBody,
  type TestApis,
} from '../harness/open-apis.ts'
import { openWithPeople, type Person } from '../harness/open-with-people.ts'

const sdl = `
  type Post @allow {
    id: ID! slug: String! @unique title: String! words: Int rank: Int @unique at: DateTime @unique
    heading: String @unique @was(name: "headline") comments: [Comment!]! tags: [Tag!]! updatedAt: DateTime @auto(set: UPDATE_TIME)
  }
  type Comment @allow { id: ID! text: String! post: Post! @relation(onDelete: CASCADE) }
  type Tag @allow { id: ID! word: String! posts: [Post!]! }
  type List @allow { id: ID! name: String! items: [Item!]! }
  type Item @allow { id: ID! list: List! @unique(with: "name") name: String! amount: Int }
`

interface Problem {
  detail: string
  hint?: string
  errors?: { path: string; code: string; message: string }[]
}

const problemOf = ({ body }: RestAnswer) => body as Problem

describe('one row by a unique key', () => {
  let apis: TestApis
  let count = 0
  before(async () => {
    apis = await openApis(sdl)
  })
  after(() => apis.close())

  const fresh = (word: string) => `${word}-${++count}`
  const make = async (path: string, body: object) =>
    (await restBody(apis, 'POST', `/${path}`, body)) as { id: string; slug: string }
  const post = (more: object = {}) => make('posts', { slug: fresh('knots'), title: 'Knots', ...more })

  test('a read by a key answers as a read by the id, and says where the row is', async () => {
    const { id, slug } = await post({ words: 3 })
    const byId = await apis.rest('GET', `/posts/${id}`)
    const byKey = await apis.rest('GET', `/posts/slug=${slug}`)
    assert.deepEqual(byKey.body, byId.body)
    const { 'content-location': location, ...headers } = byKey.headers
    assert.equal(location, `/posts/${id}`)
    // A row that has changed within the second has no `Last-Modified` yet.
    assert.deepEqual({ ...headers, 'last-modified': '' }, { ...byId.headers, 'last-modified': '' })
    const head = await apis.rest('HEAD', `/posts/slug=${slug}?fields=title`)
    assert.deepEqual([head.status, head.headers['content-location']], [200, `/posts/${id}`])
    const same = await apis.rest('GET', `/posts/slug=${slug}`, undefined, {
      'if-none-match': String(byId.headers.etag),
    })
    assert.deepEqual([same.status, same.headers['content-location']], [304, `/posts/${id}`])
    const options = await apis.rest('OPTIONS', `/posts/slug=${slug}`)
    assert.equal(options.headers.allow, 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS')
    const query = '{ postBy(key: {slug: "SLUG"}) { id words } }'.replace('SLUG', slug)
    assert.deepEqual(await graphqlData(apis, query), { postBy: { id, words: 3 } })
    const byVariable = 'query ($key: PostKey!) { postBy(key: $key) { id } }'
    assert.deepEqual(await graphqlData(apis, byVariable, { key: { slug } }), { postBy: { id } })
  })

  test('both APIs make the same plan, once for each shape', async () => {
    const [one, two] = [await post({ rank: ++count }), await post()]
    apis.executed.length = 0
    await apis.rest('GET', `/posts/slug=${one.slug}?fields=id,title`)
    await apis.rest('GET', `/posts/slug=${two.slug}?fields=id,title`)
    const query = 'query ($slug: String!) { postBy(key: {slug: $slug}) { id title } }'
    await apis.graphql(query, { slug: one.slug })
    await apis.graphql(query, { slug: two.slug })
    const variable = 'query ($key: PostKey!) { postBy(key: $key) { id title } }'
    await apis.graphql(variable, { key: { slug: one.slug } })
    await apis.graphql(variable, { key: { rank: 1 } })
    const plans = apis.executed.map(({ plan }) => plan)
    assert.equal(plans[0], plans[1])
    assert.equal(plans[2], plans[3])
    assert.deepEqual(plans[0], plans[2])
    assert.deepEqual(plans[0], plans[4])
    assert.notDeepEqual(plans[4], plans[5])
    assert.deepEqual(
      apis.executed.slice(0, 4).map(({ values }) => values),
      [[one.slug], [two.slug], [one.slug], [two.slug]],
    )
  })

  test('a key of several fields is in any order; values are decoded after they are split', async () => {
    const list = await make('lists', { name: 'l' })
    const name = fresh('milk, 1/2=half')
    const item = await make('items', { list: list.id, name, amount: 2 })
    const value = encodeURIComponent(name)
    for (const key of [`list=${list.id},name=${value}`, `name=${value},list=${list.id}`]) {
      const found = await apis.rest('GET', `/items/${key}`)
      assert.deepEqual([found.status, (found.body as { id: string }).id], [200, item.id], key)
    }
    const query = 'query ($key: ItemKey!) { itemBy(key: $key) { id amount } }'
    const key = { listAndName: { list: list.id, name } }
    assert.deepEqual(await graphqlData(apis, query, { key }), { itemBy: { id: item.id, amount: 2 } })
    const raw = await apis.rest('GET', `/items/list=${list.id},name=milk,x`)
    assert.deepEqual([raw.status, problemOf(raw).hint], [400, 'Write a comma inside a value as %2C.'])
  })

  test('values are of the types of their fields', async () => {
    const rank = ++count
    const { id } = await post({ rank, at: `2026-01-02T03:04:${String(rank).padStart(2, '0')}Z` })
    assert.equal((await apis.rest('GET', `/posts/rank=${rank}`)).headers['content-location'], `/posts/${id}`)
    const at = encodeURIComponent(`2026-01-02T04:04:${String(rank).padStart(2, '0')}+01:00`)
    assert.equal((await apis.rest('GET', `/posts/at=${at}`)).headers['content-location'], `/posts/${id}`)
    const wrong = await apis.rest('GET', '/posts/rank=first')
    assert.deepEqual([wrong.status, problemOf(wrong).errors?.[0]?.path], [400, 'rank'])
    const { errors } = await apis.graphql('query ($key: PostKey!) { postBy(key: $key) { id } }', { key: { rank: 'x' } })
    assert.equal(errors.length, 1)
  })

  test('a key that the type does not have is a 404 that names those it has', async () => {
    for (const key of ['slog=x', 'title=x', 'id=x', 'slug=x,rank=1', 'slug=x,slug=y']) {
      const { status, body } = await apis.rest('GET', `/posts/${key}`)
      const { detail, hint } = body as Problem
      assert.equal(status, 404, key)
      assert.match(detail, /^Post has no unique key /)
      assert.match(String(hint), /\/posts\/slug=\{slug\}, \/posts\/rank=\{rank\}.*\/posts\/\{id\}/)
    }
    assert.match(problemOf(await apis.rest('GET', '/posts/slog=x')).detail, /Did you mean "?slug"?\?/)
    assert.equal(problemOf(await apis.rest('GET', '/tags/word=x')).hint, 'One Tag by its id is at /tags/{id}.')
    const none = await apis.rest('GET', '/posts/slug=nothing')
    assert.deepEqual([none.status, problemOf(none).detail], [404, 'There is no Post with slug "nothing".'])
    assert.deepEqual(await graphqlData(apis, '{ postBy(key: {slug: "nothing"}) { id } }'), { postBy: null })
    const encoded = await apis.rest('GET', '/posts/slug%3Dx')
    assert.deepEqual([encoded.status, problemOf(encoded).detail], [404, 'There is no Post with the id "slug=x".'])
    const both = await apis.graphql('{ postBy(key: {slug: "a", rank: 1}) { id } }')
    assert.equal(both.errors.length, 1)
  })

  test('updates, replaces and deletes find the row by its key, with the preconditions of an id', async () => {
    const { id, slug } = await post({ words: 1 })
    const updated = await apis.rest('PATCH', `/posts/slug=${slug}?fields=id,title`, { slug, title: 'New' })
    assert.deepEqual([updated.status, updated.body], [200, { id, title: 'New' }])
    assert.equal(updated.headers['content-location'], `/posts/${id}`)
    const stale = await apis.rest('PATCH', `/posts/slug=${slug}`, { words: 2 }, { 'if-match': '"1"' })
    assert.equal(stale.status, 412)
    const patch = [{ op: 'replace', path: '/words', value: 5 }]
    const type = { 'content-type': 'application/json-patch+json' }
    const patched = await apis.rest('PATCH', `/posts/slug=${slug}?fields=words`, patch, type)
    assert.deepEqual([patched.status, patched.body], [200, { words: 5 }])
    const replaced = await apis.rest('PUT', `/posts/slug=${slug}?fields=id,slug,title,words`, { title: 'Whole' })
    assert.deepEqual([replaced.status, replaced.body], [200, { id, slug, title: 'Whole', words: null }])
    const byKey = `mutation ($key: PostKey!, $slug: String!) {
      updatePostBy(key: $key, words: 9, ifVersion: 4) { id words }
      replacePostBy(key: $key, input: {slug: $slug, title: "Twice"}) { id words title }
    }`
    assert.deepEqual(await graphqlData(apis, byKey, { key: { slug }, slug }), {
      updatePostBy: { id, words: 9 },
      replacePostBy: { id, words: null, title: 'Twice' },
    })
    assert.equal((await apis.rest('DELETE', `/posts/slug=${slug}`)).status, 204)
    assert.equal((await apis.rest('DELETE', `/posts/slug=${slug}`)).status, 404)
    const other = await post()
    const remove = 'mutation ($key: PostKey!) { deletePostBy(key: $key) { success id } }'
    assert.deepEqual(await graphqlData(apis, remove, { key: { slug: other.slug } }), {
      deletePostBy: { success: true, id: other.id },
    })
    assert.deepEqual(await graphqlData(apis, remove, { key: { slug: other.slug } }), {
      deletePostBy: { success: false, id: '' },
    })
    const gone = await apis.graphql('mutation ($key: PostKey!) { updatePostBy(key: $key, words: 1) { id } }', {
      key: { slug: other.slug },
    })
    assert.equal(gone.errors[0]?.message, `There is no Post with slug "${other.slug}".`)
  })

  test('the key of a body must be that of the request', async () => {
    const { slug } = await post()
    for (const method of ['PUT', 'PATCH']) {
      const answer = await apis.rest(method, `/posts/slug=${slug}`, { slug: 'other', title: 'x' })
      assert.equal(answer.status, 400)
      assert.deepEqual(
        problemOf(answer).errors?.map(({ path, code }) => [path, code]),
        [['slug', 'READONLY']],
      )
    }
    const { errors } = await apis.graphql(
      'mutation ($key: PostKey!) { updatePostBy(key: $key, slug: "other") { id } }',
      { key: { slug } },
    )
    assert.deepEqual(
      errors[0]?.extensions?.errors?.map(({ path, code }) => [path, code]),
      [['slug', 'READONLY']],
    )
    const id = await apis.rest('PATCH', `/posts/slug=${slug}`, { id: 'other', title: 'x' })
    assert.equal(id.status, 400)
  })

  test('what is below an id is below a key', async () => {
    const { id, slug } = await post()
    const tag = await make('tags', { word: 'rope' })
    const comment = await apis.rest('POST', `/posts/slug=${slug}/comments?fields=text,post.id`, { text: 'first' })
    assert.deepEqual([comment.status, comment.body], [201, { text: 'first', post: { id } }])
    const comments = await apis.rest('GET', `/posts/slug=${slug}/comments?fields=text`, undefined, {
      prefer: 'count=exact',
    })
    assert.deepEqual(
      [comments.status, comments.body, comments.headers['x-total-count']],
      [200, [{ text: 'first' }], '1'],
    )
    assert.equal((await apis.rest('PUT', `/posts/slug=${slug}/tags/${tag.id}`)).status, 204)
    assert.deepEqual(await restBody(apis, 'GET', `/posts/slug=${slug}/tags?fields=word`), [{ word: 'rope' }])
    assert.equal((await apis.rest('DELETE', `/posts/slug=${slug}/tags/${tag.id}`)).status, 204)
    for (const path of ['comments', 'tags']) {
      assert.equal((await apis.rest('GET', `/posts/slug=nothing/${path}`)).status, 404)
    }
    const nobody = await apis.rest('POST', '/posts/slug=nothing/comments', { text: 'x' })
    assert.deepEqual([nobody.status, problemOf(nobody).detail], [404, 'There is no Post with slug "nothing".'])
  })

  test('a replace creates a row that does not exist', async () => {
    const slug = fresh('new/one')
    const path = `/posts/slug=${encodeURIComponent(slug)}`
    const made = await apis.rest('PUT', `${path}?fields=id,slug,title`, { title: 'Made' })
    const { id } = made.body as { id: string }
    assert.deepEqual([made.status, made.body], [201, { id, slug, title: 'Made' }])
    assert.deepEqual([made.headers.location, made.headers['content-location']], [`/posts/${id}`, `/posts/${id}`])
    const again = await apis.rest('PUT', `${path}?fields=id,title`, { slug, title: 'Again' })
    assert.deepEqual([again.status, again.body], [200, { id, title: 'Again' }])
    const never = await apis.rest('PUT', path, { title: 'x' }, { 'if-none-match': '*' })
    assert.equal(never.status, 412)
    const only = await apis.rest('PUT', `/posts/slug=${fresh('x')}`, { title: 'x' }, { 'if-match': '*' })
    assert.equal(only.status, 412)
    const incomplete = await apis.rest('PUT', `/posts/slug=${fresh('x')}`, {})
    assert.deepEqual([incomplete.status, problemOf(incomplete).errors?.[0]?.path], [400, 'title'])
    const graphql = `mutation ($key: PostKey!, $slug: String!) { replacePostBy(key: $key, input: {slug: $slug, title: "G"}) { slug } }`
    const other = fresh('made')
    assert.deepEqual(await graphqlData(apis, graphql, { key: { slug: other }, slug: other }), {
      replacePostBy: { slug: other },
    })
  })

  test('100 replaces at once make one row', async () => {
    const slug = fresh('race')
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, words) => apis.rest('PUT', `/posts/slug=${slug}`, { title: 'r', words })),
    )
    const statuses = replies.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [...Array<number>(99).fill(200), 201])
    const ids = new Set(replies.map(({ body }) => (body as { id: string }).id))
    assert.equal(ids.size, 1)
  })

  test('writes by a key are part of a batch and of a transaction', async () => {
    const [one, two] = [await post(), await post()]
    const list = { method: 'POST', path: '/lists', body: { name: 'b' } }
    const done = await apis.rest('POST', '/batch', [
      list,
      { method: 'PUT', path: '/items/list=$0.id,name=milk', body: { amount: 1 } },
      { method: 'PATCH', path: `/posts/slug=${one.slug}`, body: { words: 1 } },
      { method: 'DELETE', path: `/posts/slug=${two.slug}` },
    ])
    const replies = done.body as { status: number; body?: { id: string } }[]
    assert.deepEqual(
      replies.map(({ status }) => status),
      [201, 201, 200, 204],
    )
    const items = await restBody(apis, 'GET', `/lists/${replies[0]!.body!.id}/items?fields=name,amount`)
    assert.deepEqual(items, [{ name: 'milk', amount: 1 }])
    const refused = await apis.rest('POST', '/batch', [
      { method: 'PATCH', path: `/posts/slug=${one.slug}`, body: { words: 7 } },
      { method: 'POST', path: '/comments', body: { text: 'x', post: '$0.id' } },
      { method: 'DELETE', path: '/posts/slug=nothing' },
      { method: 'POST', path: `/posts/slug=${one.slug}/comments`, body: { text: 'x' } },
    ])
    assert.equal(refused.status, 400)
    assert.deepEqual(
      problemOf(refused).errors?.map(({ path }) => path),
      ['1.post', '3.path'],
    )
    const missing = await apis.rest('POST', '/batch', [{ method: 'DELETE', path: '/posts/slug=nothing' }])
    assert.deepEqual([missing.status, problemOf(missing).detail], [404, '0: There is no Post with slug "nothing".'])
    const transaction = `mutation ($key: PostKey!) @transaction {
      a: updatePostBy(key: $key, words: 8) { words } b: deletePostBy(key: $key) { success }
    }`
    assert.deepEqual(await graphqlData(apis, transaction, { key: { slug: one.slug } }), {
      a: { words: 8 },
      b: { success: true },
    })
  })

  test('an idempotency key makes a write by a key once', async () => {
    const slug = fresh('once')
    const headers = { 'idempotency-key': `"${slug}"` }
    const send = () => apis.rest('PUT', `/posts/slug=${slug}`, { title: 'x' }, headers)
    const [first, second] = [await send(), await send()]
    assert.deepEqual([first.status, second.status, second.headers['idempotent-replayed']], [201, 201, 'true'])
    assert.deepEqual(second.body, first.body)
    assert.equal(second.headers['content-location'], first.headers['content-location'])
  })

  test('a former name finds the row', async () => {
    const heading = fresh('Heading')
    const { id } = await post({ heading })
    for (const name of ['heading', 'headline']) {
      const found = await apis.rest('GET', `/posts/${name}=${heading}`)
      assert.deepEqual([found.status, found.headers['content-location']], [200, `/posts/${id}`], name)
      const query = `query ($v: String!) { postBy(key: {${name}: $v}) { id } }`
      assert.deepEqual(await graphqlData(apis, query, { v: heading }), { postBy: { id } })
    }
    const used = apis.executed.at(-1)?.deprecated?.names
    assert.deepEqual(used, ['Post.headline'])
    const body = await apis.rest('PATCH', `/posts/headline=${heading}`, { headline: 'other' })
    assert.deepEqual(
      problemOf(body).errors?.map(({ path }) => path),
      ['headline'],
    )
  })
})

const ruled = `
  type User @account @allow(to: [READ, CREATE]) @allow(who: "self") { id: ID! email: String! @unique @allow(to: [CREATE]) @allow(who: "self") }
  type Paper @allow(who: "owner") @allow(to: [READ], where: {public: {eq: true}}) {
    id: ID! name: String! @unique code: String @unique @allow(who: "owner") public: Boolean @default(value: false)
    secret: String @unique @allow(role: "admin", to: [READ]) owner: User! @auto(set: VIEWER)
  }
  type Page @allow(to: [READ, CREATE, UPDATE]) { id: ID! paper: Paper! @unique(with: "number") number: Int! text: String }
`

describe('rules and unique keys', () => {
  let apis: TestApis
  let ann: Person
  let bob: Person
  before(async () => {
    ;({ apis, ann, bob } = await openWithPeople(ruled))
    await restBody(ann, 'POST', '/papers', { name: 'private', code: 'p', secret: 's' })
    await restBody(ann, 'POST', '/papers', { name: 'public', code: 'c', public: true })
  })
  after(() => apis.close())

  const requests: [method: string, body?: object][] = [['GET'], ['HEAD'], ['PATCH', { public: false }], ['DELETE']]
  const statuses = (who: ApiClient, path: string) =>
    Promise.all(requests.map(async ([method, body]) => (await who.rest(method, path, body)).status))

  test('a hidden row answers as one that does not exist', async () => {
    for (const key of ['name=private', 'name=nothing', 'code=p', 'code=nothing']) {
      assert.deepEqual(await statuses(bob, `/papers/${key}`), [404, 404, 404, 404], key)
    }
    const query = '{ a: paperBy(key: {name: "private"}) { id } b: paperBy(key: {name: "nothing"}) { id } }'
    assert.deepEqual(await graphqlData(bob, query), { a: null, b: null })
    const answer = await bob.rest('PATCH', '/papers/name=private', {})
    assert.equal(problemOf(answer).detail, 'There is no Paper with name "private".')
  })

  test('a field that the viewer may not read finds no row', async () => {
    assert.equal((await bob.rest('GET', '/papers/name=public')).status, 200)
    assert.equal((await bob.rest('GET', '/papers/code=c')).status, 404)
    assert.equal((await bob.rest('PATCH', '/papers/code=c', {})).status, 404)
    assert.equal((await bob.rest('DELETE', '/papers/code=c')).status, 404)
    assert.equal((await bob.rest('DELETE', '/papers/name=public')).status, 403)
    assert.equal((await ann.rest('GET', '/papers/code=c')).status, 200)
    assert.deepEqual(await graphqlData(bob, '{ paperBy(key: {code: "c"}) { id } }'), { paperBy: null })
    for (const who of [ann, bob]) {
      const never = await who.rest('GET', '/papers/secret=s')
      assert.deepEqual([never.status, problemOf(never).errors?.[0]?.code], [400, 'UNKNOWN'])
    }
    assert.equal((await bob.rest('GET', '/users/email=ann@example.org')).status, 404)
    assert.equal((await bob.rest('GET', '/users/email=bob@example.org')).status, 200)
  })

  test('a reference to a row that the viewer may not read finds no row', async () => {
    const paper = (await restBody(ann, 'GET', '/papers/name=private')) as { id: string }
    await restBody(ann, 'POST', '/pages', { paper: paper.id, number: 1, text: 'x' })
    const path = `/pages/paper=${paper.id},number=1`
    assert.equal((await ann.rest('GET', path)).status, 200)
    assert.equal((await bob.rest('GET', path)).status, 404)
    assert.equal((await bob.rest('PATCH', path, { text: 'y' })).status, 404)
    assert.equal((await ann.rest('PATCH', path, { text: 'y' })).status, 200)
  })

  test('a replace of a row that may not be read is the conflict of a create', async () => {
    const put = await bob.rest('PUT', '/papers/name=private', {})
    const create = await bob.rest('POST', '/papers', { name: 'private' })
    assert.equal(put.status, 409)
    assert.deepEqual(problemOf(put).errors, problemOf(create).errors)
    assert.equal((await bob.rest('PUT', '/papers/name=public', {})).status, 403)
    const made = await bob.rest('PUT', '/papers/name=mine?fields=owner.id', {})
    assert.deepEqual([made.status, made.body], [201, { owner: { id: bob.id } }])
    const nobody = await apis.rest('PUT', '/papers/name=other', {})
    assert.equal(nobody.status, 401)
  })

  test('the owner of an account changes the password by the key', async () => {
    const changed = await ann.rest('PATCH', '/users/email=ann@example.org', { password: 'battery staple' })
    assert.equal(changed.status, 200)
    const other = await bob.rest('PATCH', '/users/email=ann@example.org', { password: 'battery staple' })
    assert.equal(other.status, 404)
  })
})

test('hooks see the row that a key finds', async () => {
  const seen: unknown[] = []
  const service = {
    before: {
      Post: async ({ kind, row, next }: PendingWrite) => {
        seen.push([kind, (row as { title?: string } | null)?.title, (next as { title?: string } | null)?.title])
      },
    },
  }
  const apis = await openApis(sdl, {}, undefined, undefined, undefined, { service })
  try {
    const send = (method: string, body?: object) => apis.rest(method, '/posts/slug=a', body)
    assert.equal((await send('PUT', { title: '1' })).status, 201)
    assert.equal((await send('PUT', { title: '2' })).status, 200)
    assert.equal((await send('PATCH', { title: '3' })).status, 200)
    assert.equal((await send('DELETE')).status, 204)
    assert.deepEqual(seen, [
      ['create', undefined, '1'],
      ['update', '1', '2'],
      ['update', '2', '3'],
      ['delete', '3', undefined],
    ])
    const race = await Promise.all(Array.from({ length: 20 }, () => apis.rest('PUT', '/posts/slug=b', { title: 'b' })))
    assert.deepEqual(race.map(({ status }) => status).sort(), [...Array<number>(19).fill(200), 201])
  } finally {
    await apis.close()
  }
})
