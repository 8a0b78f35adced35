// Rows that @softDelete hides, under other versions of the schema, after a restart, and when their time is over.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { ChangingService } from '../harness/changing-service.ts'
import type { RestAnswer } from '../harness/open-apis.ts'
import { until } from '../harness/until.ts'
import { runSql } from './run-sql.ts'

const schema = (directive: string, more = '') => `
  type Post ${directive} @allow { id: ID! slug: String @unique title: String! ${more} comments: [Comment!]! }
  type Comment @allow { id: ID! text: String! post: Post! @relation(onDelete: CASCADE) }
`

interface Row {
  id: string
  [name: string]: unknown
}

const rows = async (service: ChangingService, path: string) => (await service.rest('GET', path)).body as Row[]

async function make(service: ChangingService, slug: string): Promise<Row> {
  const { body } = await service.rest('POST', '/posts', { slug, title: slug })
  await service.rest('POST', '/comments', { text: slug, post: (body as Row).id })
  return body as Row
}

const made = ({ status, body }: RestAnswer): string => {
  assert.equal(status, 201, JSON.stringify(body))
  return (body as Row).id
}

const problems = ({ body }: RestAnswer) =>
  (body as { errors: { path: string; code: string }[] }).errors.map(({ path, code }) => [path, code])

test('every version of the schema leaves hidden rows out, and its unique values are free', async () => {
  const service = await ChangingService.open(schema(''))
  try {
    const kept = await make(service, 'kept')
    await service.change(schema('@softDelete'))
    const gone = await make(service, 'gone')
    assert.equal((await service.rest('DELETE', `/posts/${gone.id}`)).status, 204)
    await service.change(schema('@softDelete', 'name: String @was(name: "head") words: Int! @default(value: 3)'))
    assert.deepEqual(
      (await rows(service, '/posts?deleted=only&fields=id,words')).map(({ id, words }) => [id, words]),
      [[gone.id, 3]],
    )
    await service.change(schema(''))
    assert.deepEqual(
      (await rows(service, '/posts')).map(({ id }) => id),
      [kept.id],
    )
    assert.equal((await rows(service, '/comments')).length, 1)
    assert.equal((await service.rest('GET', `/posts/${gone.id}`)).status, 404)
    const taken = await service.rest('POST', '/posts', { slug: 'gone', title: 'again' })
    assert.equal(taken.status, 201)
    assert.equal((await service.rest('POST', `/posts/${gone.id}/restorations`)).status, 404)
    await service.change(schema('@softDelete'))
    assert.equal((await service.rest('POST', `/posts/${gone.id}/restorations`)).status, 409)
    await service.rest('DELETE', `/posts/${(taken.body as Row).id}?purge=true`)
    assert.equal((await service.rest('POST', `/posts/${gone.id}/restorations`)).status, 200)
    assert.equal((await rows(service, '/comments')).length, 2)
  } finally {
    await service.close()
  }
})

test('events say deleted and created; when the time is over, the row is gone without another event', async () => {
  const service = await ChangingService.open(schema('@softDelete(keep: "1s")'))
  try {
    const post = await make(service, 'one')
    await service.rest('DELETE', `/posts/${post.id}`)
    await service.rest('POST', `/posts/${post.id}/restorations`)
    await service.rest('DELETE', `/posts/${post.id}`)
    await sleep(1200) // while the server runs: on SQLite it believes only slowly that time has passed while it did not
    await service.pause(async () => {})
    await until(
      () => rows(service, '/posts?deleted=only'),
      (found) => found.length === 0,
    )
    assert.equal((await service.rest('POST', `/posts/${post.id}/restorations`)).status, 404)
    const events = await until(
      async () => (await service.rest('GET', '/changes?first=50')).body as { edges: { node: { type: string } }[] },
      ({ edges }) => edges.length >= 8,
    )
    const kinds = ['created', 'deleted', 'created', 'deleted']
    const typesOf = (name: string) => events.edges.map(({ node }) => node.type).filter((type) => type.startsWith(name))
    assert.deepEqual(
      typesOf('post'),
      kinds.map((kind) => `post.${kind}`),
    )
    assert.deepEqual(
      typesOf('comment'),
      kinds.map((kind) => `comment.${kind}`),
    )
  } finally {
    await service.close()
  }
})

test('a row that another program let refer to a deleted one gets null when the time is over; its history says why', async () => {
  const service = await ChangingService.open(`
    type Post @softDelete(keep: "1s") @allow { id: ID! }
    type Note @allow @allow(to: AUDIT) { id: ID! post: Post }
  `)
  try {
    made(await service.rest('PUT', '/posts/one', {}))
    made(await service.rest('PUT', '/notes/about', { post: 'one' }))
    await service.rest('DELETE', '/posts/one')
    assert.deepEqual(await rows(service, '/notes?fields=post'), [{ post: null }])
    await sleep(1200)
    await service.pause(() => runSql(service, `UPDATE "Note" SET post = 'one' WHERE id = 'about'`))
    const path = '/notes/about/changes?first=1&fields=kind,version,by,via,changed'
    const { edges } = await until(
      async () => (await service.rest('GET', path)).body as { edges: { node: { version: number; by: string } }[] },
      (found) => found.edges[0]?.node.version === 3,
    )
    const { by, ...change } = edges[0]!.node
    assert.match(by, /^expiry:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    const changed = [{ field: 'post', before: 'one', after: null }]
    assert.deepEqual(change, { kind: 'UPDATED', version: 3, via: null, changed })
    const history =
      '{ note(id: "about") { _changes(first: 1) { edges { node { kind version by via changed { field before after } } } } } }'
    assert.deepEqual(await service.graphql(history), { note: { _changes: { edges: [{ node: { ...change, by } }] } } })
    assert.deepEqual(await rows(service, '/notes?fields=post'), [{ post: null }])
  } finally {
    await service.close()
  }
})

test('subscriptions say deleted and created; a purge says nothing more', async () => {
  const service = await ChangingService.open(schema('@softDelete'))
  try {
    const first = await make(service, 'first')
    const { edges } = await until(
      async () => (await service.rest('GET', '/changes?first=10')).body as { edges: { cursor: string }[] },
      (page) => page.edges.length === 2, // the post and its comment
    )
    const path = `/posts/${first.id}`
    await service.rest('DELETE', path)
    await service.rest('POST', `${path}/restorations`)
    await service.rest('DELETE', path)
    assert.equal((await service.rest('DELETE', `${path}?purge=true`)).status, 204)
    const last = await make(service, 'last')
    const after = edges.at(-1)!.cursor
    const query = 'subscription ($after: String) { postChanged(after: $after) { kind id post { title } } }'
    const events = await service.events(query, { after }, 4)
    const change = (kind: string, id: string, title: string | null) => ({
      postChanged: { kind, id, post: title === null ? null : { title } },
    })
    assert.deepEqual(events, [
      change('DELETED', first.id, null),
      change('CREATED', first.id, 'first'),
      change('DELETED', first.id, null),
      change('CREATED', last.id, 'last'),
    ])
    const deleted = await service.events(
      'subscription ($after: String) { postDeleted(after: $after) { id } }',
      { after },
      2,
    )
    assert.deepEqual(deleted, Array(2).fill({ postDeleted: { id: first.id } }))
  } finally {
    await service.close()
  }
})

test('a node that runs an older schema leaves out what the newer one hides', {
  skip: testedStore === 'sqlite',
}, async () => {
  const older = await ChangingService.open(schema(''))
  const newer = await ChangingService.open(schema('@softDelete'), older)
  try {
    const [kept, gone] = [await make(newer, 'kept'), await make(newer, 'gone')]
    assert.equal((await newer.rest('DELETE', `/posts/${gone.id}`)).status, 204)
    const seen = await until(
      () => rows(older, '/posts'),
      (found) => found.length === 1,
    )
    assert.deepEqual(
      seen.map(({ id }) => id),
      [kept.id],
    )
    assert.equal((await older.rest('GET', `/posts/${gone.id}`)).status, 404)
    assert.equal((await rows(older, '/comments')).length, 1)
    assert.equal((await older.rest('PATCH', `/posts/${gone.id}`, { title: 'x' })).status, 404)
    assert.equal((await older.rest('DELETE', `/posts/${gone.id}`)).status, 404)
    assert.equal((await older.rest('POST', '/comments', { text: 'x', post: gone.id })).status, 409)
    const again = { slug: 'gone', title: 'again' }
    const upsert = 'mutation ($row: CreatePostInput!) { upsertPost(key: {slug: "gone"}, create: $row) { id } }'
    const takers: (() => Promise<string>)[] = [
      async () => made(await newer.rest('POST', '/posts', again)),
      async () => made(await older.rest('POST', '/posts', again)),
      async () => made(await older.rest('PUT', '/posts/slug=gone', { title: 'again' })),
      async () => ((await older.graphql(upsert, { row: again })).upsertPost as Row).id,
    ]
    for (const take of takers) {
      const id = await take()
      assert.equal((await newer.rest('POST', `/posts/${gone.id}/restorations`)).status, 409)
      const refused = await older.rest('POST', '/posts', again)
      assert.deepEqual([refused.status, problems(refused)], [409, [['slug', 'UNIQUE']]])
      const found = await older.rest('POST', '/posts?onConflict=slug&fields=id', again)
      assert.deepEqual([found.status, found.body], [200, { id }], 'the visible one of two rows with the key')
      assert.equal((await older.rest('DELETE', `/posts/${id}`)).status, 204)
    }
    assert.equal((await newer.rest('POST', `/posts/${gone.id}/restorations`)).status, 200)
    const back = await until(
      () => rows(older, '/posts'),
      (found) => found.length === 2,
    )
    assert.equal(back.length, 2)
    await sleep(1500) // the node looks once a second: it must not forget the type when nothing is hidden
    assert.equal((await newer.rest('DELETE', `/posts/${gone.id}`)).status, 204)
    assert.deepEqual(
      [(await older.rest('GET', `/posts/${gone.id}`)).status, (await rows(older, '/posts')).length],
      [404, 1],
    )
  } finally {
    await newer.close()
    await older.close()
  }
})

test('rows that a newer schema hides do not restrict a delete on a node with the older one', {
  skip: testedStore === 'sqlite',
}, async () => {
  const sdl = (directive: string) => `
    type Post @allow { id: ID! title: String! comments: [Comment!]! }
    type Comment ${directive} @allow { id: ID! text: String! post: Post! }
  `
  const older = await ChangingService.open(sdl(''))
  const newer = await ChangingService.open(sdl('@softDelete'), older)
  try {
    const post = made(await newer.rest('POST', '/posts', { title: 'one' }))
    const comment = made(await newer.rest('POST', '/comments', { text: 'one', post }))
    assert.equal((await older.rest('DELETE', `/posts/${post}`)).status, 409)
    assert.equal((await newer.rest('DELETE', `/comments/${comment}`)).status, 204)
    assert.equal((await older.rest('DELETE', `/posts/${post}`)).status, 204)
    assert.deepEqual(await rows(newer, '/comments?deleted=with'), [])
    assert.equal((await newer.rest('POST', `/comments/${comment}/restorations`)).status, 404)
  } finally {
    await newer.close()
    await older.close()
  }
})

test('deleted rows do not hold up an enum that loses a value; they come back when the value does', async () => {
  const sdl = (values: string) => `
    enum Kind { ${values} }
    type Post @softDelete @allow { id: ID! kind: Kind! kinds: [Kind!] notes: [Note!]! }
    type Note @allow { id: ID! kind: Kind post: Post! @relation(onDelete: CASCADE) }
  `
  const service = await ChangingService.open(sdl('A B C'), null, { allowBreaking: true })
  try {
    for (const [id, fields] of Object.entries({ plain: { kind: 'C' }, list: { kind: 'A', kinds: ['A', 'B', 'C'] } })) {
      made(await service.rest('PUT', `/posts/${id}`, fields))
    }
    made(await service.rest('PUT', '/posts/along', { kind: 'A' }))
    made(await service.rest('PUT', '/notes/one', { kind: 'B', post: 'along' }))
    await assert.rejects(service.change(sdl('A')), /value B of Kind.*value C of Kind/s)
    for (const id of ['plain', 'list', 'along']) await service.rest('DELETE', `/posts/${id}`)
    await service.change(sdl('A'))

    const shown = [
      { id: 'along', kind: 'A' },
      { id: 'list', kind: 'A' },
      { id: 'plain', kind: 'C' },
    ]
    assert.deepEqual(await rows(service, '/posts?deleted=only&sort=id&fields=id,kind'), shown)
    const list = '{ posts(deleted: ONLY, orderBy: [{id: ASC}]) { id kind } }'
    assert.deepEqual(await service.graphql(list), { posts: shown })
    const refusals = [
      ['plain', 'kind', 'has a value that this version of the schema does not have: C.'],
      ['list', 'kinds', 'has a value that this version of the schema does not have: B.'],
      ['list', 'kinds', 'has a value that this version of the schema does not have: C.'],
      [
        'along',
        '',
        'A Note that was deleted with it has in kind a value that this version of the schema does not have: B.',
      ],
    ]
    for (const id of ['plain', 'list', 'along']) {
      const expected = refusals
        .filter(([of]) => of === id)
        .map(([, path, message]) => ({ path, code: 'TYPE', message }))
      const { status, body } = await service.rest('POST', `/posts/${id}/restorations`)
      const found = (body as { errors: { pointer?: string }[] }).errors.map(({ pointer: _, ...problem }) => problem)
      assert.deepEqual([status, found], [409, expected])
      const answer = await service.graphqlAnswer('mutation ($id: ID!) { restorePost(id: $id) { id } }', { id })
      const { code, errors } = answer.errors[0]!.extensions as { code: string; errors: unknown[] }
      assert.deepEqual([code, errors], ['CONFLICT', expected])
    }
    assert.equal((await service.rest('DELETE', '/posts/plain?purge=true')).status, 204)

    await service.change(sdl('A B C'))
    for (const id of ['list', 'along'])
      assert.equal((await service.rest('POST', `/posts/${id}/restorations`)).status, 200)
    assert.deepEqual(await rows(service, '/notes?fields=kind'), [{ kind: 'B' }])
  } finally {
    await service.close()
  }
})
