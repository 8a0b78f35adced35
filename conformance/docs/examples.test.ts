// The examples start without changes, and the seed of the blog creates its data in less than a second.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { seed } from '../../examples/blog/seed.ts'
import { system, type Viewer } from '../../packages/twain/src/base/http/index.ts'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { type ApiClient, graphqlData, openApis, restBody, uploadFile } from '../harness/open-apis.ts'
import { openBlog } from '../harness/open-blog.ts'

const sdlOf = (example: string) =>
  readFile(join(import.meta.dirname, `../../examples/${example}/schema.graphql`), 'utf8')

test('hello greets through both APIs', async () => {
  const apis = await openApis(await sdlOf('hello'))
  await restBody(apis, 'POST', '/greetings', { text: 'Hello' })
  assert.deepEqual(await graphqlData(apis, '{ greetings { text language loud } }'), {
    greetings: [{ text: 'Hello', language: null, loud: null }],
  })
  await apis.close()
})

test('the chat: members read and write, owners add members, and nobody else sees the channel', async (t) => {
  const apis = await openApis(await sdlOf('chat'))
  t.after(apis.close)
  const account = async (name: string): Promise<{ id: string; asking: ApiClient }> => {
    const { body } = await apis.as(system).rest('POST', '/users', { name, email: `${name}@quay.example` })
    const { id } = body as { id: string }
    return { id, asking: apis.as({ account: id, roles: [], authenticated: true, token: null }) }
  }
  const [ann, bob, cid] = [await account('ann'), await account('bob'), await account('cid')]
  const idOf = ({ body }: { body: unknown }) => (body as { id: string }).id
  const status = async ({ asking: client }: { asking: ApiClient }, ...request: Parameters<ApiClient['rest']>) =>
    (await client.rest(...request)).status

  const channel = idOf(await ann.asking.rest('POST', '/channels', { name: 'night' }))
  const invite = { channel, user: bob.id }
  assert.equal(await status(bob, 'POST', '/memberships', invite), 409, 'there is no such channel for him')
  const invited = await ann.asking.rest('POST', '/memberships', invite)
  assert.equal(invited.status, 201)
  const message = idOf(await bob.asking.rest('POST', '/messages', { channel, body: 'Here.' }))
  assert.equal(await status(cid, 'POST', '/messages', { channel, body: 'Me too.' }), 409)
  assert.equal(await status(ann, 'PATCH', `/messages/${message}`, { body: 'Not his.' }), 403)
  assert.equal(await status(bob, 'PATCH', `/messages/${message}`, { body: 'Here!' }), 200)
  assert.equal(await status(bob, 'PATCH', `/channels/${channel}`, { name: 'day' }), 403)
  assert.equal(await status(bob, 'POST', '/memberships', { channel, user: cid.id }), 403)
  const night = {
    name: 'night',
    memberships: [
      { role: 'OWNER', user: { name: 'ann' } },
      { role: 'MEMBER', user: { name: 'bob' } },
    ],
  }
  const seen = async ({ asking: client }: { asking: ApiClient }) => [
    (await client.graphql('{ channels { name memberships { role user { name } } } }')).data,
    (await client.graphql('{ messages { body author { name } } }')).data,
  ]
  const output = { body: 'Here!', author: { name: 'bob' } }
  for (const person of [ann, bob]) {
    assert.deepEqual(await seen(person), [{ channels: [night] }, { messages: [output] }])
  }
  assert.deepEqual(await seen(cid), [{ channels: [] }, { messages: [] }])
  assert.equal(await status(bob, 'DELETE', `/memberships/${idOf(invited)}`), 204, 'everyone may leave')
  assert.equal(await status(bob, 'GET', `/channels/${channel}`), 404)
  assert.equal(await status(ann, 'DELETE', `/channels/${channel}`), 204)
})

test('the blog is seeded in less than a second', async (t) => {
  const opened = await openBlog()
  t.after(opened.close)
  const apis = { ...opened, ...opened.as(system) }
  const paths = new Map(apis.model.resources.map(({ name, path }) => [name, path]))
  const began = process.cpuUsage() // CPU time, which other processes do not change
  await seed(async (name, input) => {
    if (name !== 'File') return (await restBody(apis, 'POST', `/${paths.get(name)}`, input)) as { id: string }
    return { id: await uploadFile(apis, (input as { bytes: Uint8Array }).bytes, system) }
  })
  const { user, system: kernel } = process.cpuUsage(began)
  const took = (user + kernel) / 1000
  const counts = await graphqlData(
    apis,
    `{
    users: usersConnection { totalCount } posts: postsConnection { totalCount } comments: commentsConnection { totalCount }
    tags: tagsConnection { totalCount } photos: photosConnection { totalCount } commentables: commentablesConnection { totalCount }
    favourites: usersConnection(where: {pinned: {isNull: false}}) { totalCount } }`,
  )
  const totals = Object.values(counts).map((each) => (each as { totalCount: number }).totalCount)
  assert.deepEqual(totals, [23, 120, 400, 15, 12, 132, 3])
  // `npm start` runs SQLite; on PostgreSQL each write waits for a socket.
  assert.ok(took < 1000 || testedStore === 'postgres', `it took ${Math.round(took)} ms`)
})

test('the blog: authors submit, editors publish, everyone reads, and nobody sees the drafts of others', async () => {
  const apis = await openBlog()
  const account = async (handle: string, role: string): Promise<Viewer> => {
    const input = { handle, name: handle, email: `${handle}@harbour.example`, role }
    const { body } = await apis.as(system).rest('POST', '/users', input)
    return { account: (body as { id: string }).id, roles: [role], authenticated: true, token: null }
  }
  const author = apis.as(await account('amara', 'AUTHOR'))
  const editor = apis.as(await account('ingrid', 'EDITOR'))
  const reader = apis.as(await account('noah', 'READER'))
  const status = async (client: ApiClient, ...request: Parameters<ApiClient['rest']>) =>
    (await client.rest(...request)).status

  const input = { slug: 'knots', title: 'Knots', body: 'Over, under.' }
  assert.equal(await status(reader, 'POST', '/posts', input), 403)
  const made = await author.rest('POST', '/posts', input)
  const at = `/posts/${(made.body as { id: string }).id}`
  assert.deepEqual([made.status, await status(editor, 'GET', at), await status(reader, 'GET', at)], [201, 404, 404])
  assert.equal(await status(author, 'PATCH', at, { status: 'PUBLISHED' }), 403)
  assert.equal(await status(author, 'PATCH', at, { rating: 5 }), 403)
  assert.equal(await status(author, 'PATCH', at, { status: 'IN_REVIEW' }), 200)
  assert.equal(await status(editor, 'PATCH', at, { status: 'PUBLISHED', remarks: 'Good.', rating: 4 }), 200)
  assert.equal(await status(author, 'PATCH', at, { title: 'More knots' }), 403)

  const remarks = async (client: ApiClient) => ((await client.rest('GET', at)).body as { remarks?: string }).remarks
  assert.deepEqual([await remarks(author), await remarks(editor), await remarks(reader)], ['Good.', 'Good.', undefined])
  const { data, errors } = await reader.graphql('{ posts { title remarks author { name email } } }')
  assert.deepEqual(data, { posts: [{ title: 'Knots', remarks: null, author: { name: 'amara', email: null } }] })
  assert.deepEqual(
    errors.map(({ path, extensions }) => `${path?.join('.')} ${extensions?.code}`),
    ['posts.0.remarks FORBIDDEN', 'posts.0.author.email FORBIDDEN'],
  )
  assert.equal(await status(reader, 'POST', '/comments', { body: 'Thank you.', on: at.slice('/posts/'.length) }), 201)
  assert.equal(await status(apis, 'GET', '/users?email=amara@harbour.example'), 400)
  await apis.close()
})
