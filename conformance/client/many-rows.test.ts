// What a client does with writes of many rows, upserts, deleted rows and variants of images: the recipes of docs/reference/client.md.
// stores: sqlite

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Client, createClient, GraphQLErrors } from '@twain/client'
import { defaultFileSettings } from '../../packages/twain/src/files/index.ts'
import { TestService } from '../harness/test-service.ts'

const sdl = `
type Post @allow @softDelete { id: ID! title: String! kind: String slug: String @unique rank: Int photo: File notes: [Note!]! }
type Note @allow { id: ID! text: String! post: Post! @relation(onDelete: CASCADE) }
`

interface Post {
  id: string
  title: string
}
interface Bulk {
  count: number
  ids: string[]
}

describe('rows in the cache of the client', () => {
  let service: TestService
  let client: Client
  let count = 0
  before(async () => {
    service = await TestService.open({ after() {} }, sdl, { files: { ...defaultFileSettings, sizes: '160,640' } })
    client = createClient({ url: `${service.address}/graphql` })
  })
  after(() => service.close())

  async function posts(...titles: string[]) {
    const kind = `k${++count}`
    const bodies = titles.map((title) => ({ title, kind }))
    const rows = titles.length === 0 ? [] : ((await service.succeed('POST', '/posts', bodies)) as Post[])
    const shown: string[][] = []
    const watch = client.watch<{ posts: Post[] }, { kind: string }>(
      'query ($kind: String!) { posts(where: {kind: {eq: $kind}}, orderBy: [{title: ASC}]) { id title } }',
      { kind },
    )
    const stop = watch.subscribe(({ data }) => data && shown.push(data.posts.map(({ title }) => title)))
    await watch.refetch()
    return { kind, rows, watch, stop, shown: () => shown.at(-1) }
  }

  test('a delete by a filter removes its rows from every list', async () => {
    const { kind, shown, stop } = await posts('a', 'b', 'c')
    const { data } = await client.mutate<{ deletePosts: Bulk }, { where: object }>(
      'mutation ($where: PostWhere!) { deletePosts(where: $where) { count ids } }',
      { where: { kind: { eq: kind }, title: { ne: 'b' } } },
      {
        update: ({ deletePosts }) => {
          for (const id of deletePosts.ids) client.cache.remove('Post', id)
        },
      },
    )
    assert.equal(data?.deletePosts.count, 2)
    assert.deepEqual(shown(), ['b'])
    stop()
  })

  test('an update by a filter: the rows are forgotten, and the next query has the new ones', async () => {
    const { kind, rows, watch, shown, stop } = await posts('a', 'b')
    const where = { kind: { eq: kind } }
    const update = ({ updatePosts }: { updatePosts: Bulk }) => {
      for (const id of updatePosts.ids) client.cache.evict('Post', id)
    }
    const document =
      'mutation ($where: PostWhere!, $dryRun: Boolean) { updatePosts(where: $where, input: {title: "new"}, dryRun: $dryRun) { count ids } }'
    const tried = await client.mutate<{ updatePosts: Bulk }>(document, { where, dryRun: true })
    assert.equal(tried.data?.updatePosts.count, 2)
    await watch.refetch()
    assert.deepEqual(shown(), ['a', 'b'])
    await client.mutate<{ updatePosts: Bulk }>(document, { where }, { update })
    await watch.refetch()
    assert.deepEqual(shown(), ['new', 'new'])
    const one = await client.query<{ post: Post }>('query ($id: ID!) { post(id: $id) { id title } }', {
      id: rows[0]!.id,
    })
    assert.equal(one.data?.post.title, 'new')
    await assert.rejects(
      client.mutate('mutation ($kind: String) { deletePosts(where: {kind: {eq: $kind}}) { count } }'),
      (error) => error instanceof GraphQLErrors && /\$kind/.test(error.message),
    )
    const { data, status } = await client.rest.patch<Bulk>(`/posts?kind=${kind}`, { title: 'newer' })
    assert.deepEqual([status, data?.count], [200, 2])
    assert.equal((await client.rest.delete(`/posts?kind=${kind}&dryRun=true`)).status, 200)
    stop()
  })

  test('an upsert is the same row, created or changed', async () => {
    const { kind, watch, shown, stop } = await posts()
    const slug = `s-${kind}`
    const document = `mutation ($slug: String!, $title: String!, $kind: String!) {
      upsertPost(key: {slug: $slug}, create: {slug: $slug, title: $title, kind: $kind}) { id title }
    }`
    const first = await client.mutate<{ upsertPost: Post }>(document, { slug, kind, title: 'one' })
    await watch.refetch()
    assert.deepEqual(shown(), ['one'])
    const second = await client.mutate<{ upsertPost: Post }>(document, { slug, kind, title: 'two' })
    assert.equal(second.data?.upsertPost.id, first.data?.upsertPost.id)
    assert.deepEqual(shown(), ['two'])
    assert.equal((await client.rest.post('/posts?onConflict=slug', { slug, title: 'six' })).status, 200)
    assert.deepEqual(shown(), ['six'])
    assert.equal((await client.rest.put(`/posts/slug=${slug}`, { title: 'ten', kind })).status, 200)
    assert.deepEqual(shown(), ['ten'])
    stop()
  })

  test('a deleted row leaves the lists, and a restored one is back in them', async () => {
    const { kind, rows, watch, shown, stop } = await posts('a', 'b')
    const { id } = rows[0]!
    await client.mutate('mutation ($id: ID!) { deletePost(id: $id) { success } }', { id })
    assert.deepEqual(shown(), ['b'])
    const trash = await client.query<{ posts: Post[] }>(
      'query ($kind: String!) { posts(deleted: ONLY, where: {kind: {eq: $kind}}) { id title } }',
      { kind },
      { fetchPolicy: 'no-cache' },
    )
    assert.deepEqual(
      trash.data?.posts.map((post) => post.id),
      [id],
    )
    assert.deepEqual(shown(), ['b'], 'a list of deleted rows does not bring them back')
    await client.mutate('mutation ($id: ID!) { restorePost(id: $id) { id title } }', { id })
    assert.deepEqual(shown(), ['a', 'b'])
    await client.mutate('mutation ($id: ID!) { deletePost(id: $id, purge: true) { success } }', { id })
    assert.deepEqual(shown(), ['b'])
    await watch.refetch()
    assert.deepEqual(shown(), ['b'])
    await client.rest.delete(`/posts/${rows[1]!.id}`)
    assert.deepEqual(shown(), [])
    assert.equal((await client.rest.post<Post>(`/posts/${rows[1]!.id}/restorations`, undefined)).data?.title, 'b')
    await watch.refetch()
    assert.deepEqual(shown(), ['b'])
    stop()
  })

  test('the urls of two variants of an image are two fields of one file', async () => {
    const upload = await fetch(`${service.address}/files`, { method: 'POST', body: new Uint8Array([1, 2, 3]) })
    const file = (await upload.json()) as { id: string }
    const { id } = (await service.succeed('POST', '/posts', { title: 'p', photo: file.id })) as Post
    const document = `query ($id: ID!) { post(id: $id) { id photo { id small: url(width: 160) large: url(width: 640, format: WEBP) } } }`
    const { data } = await client.query<{ post: { photo: { small: string; large: string } } }>(document, { id })
    assert.match(data!.post.photo.small, /width=160/)
    assert.match(data!.post.photo.large, /width=640.*format=WEBP/)
    const cached = client.cache.read<typeof data>(document, { id })
    assert.deepEqual(cached, data)
  })
})
