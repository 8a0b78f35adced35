// `File` is a resource of the model. Administrators list the files that they may read, with both APIs; the other requests are those
// of uploads and bytes.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { TestService } from '../harness/test-service.ts'

const sdl = `
type User @account @allow(to: [READ, CREATE]) @allow(who: "self") { id: ID! email: String! @unique name: String roles: [String!] }
type Post @allow(to: [READ]) @allow(who: "author") { id: ID! cover: File photos: [File!]! author: User! @auto(set: VIEWER) }
type Note @allow(who: "owner") { id: ID! scan: File owner: User! @auto(set: VIEWER) }`

test('R108 administrators list the files of rows that they may read, with filters, sorts and pages', async (t) => {
  const { service, boss, bob, upload, graphql } = await openFiles(t)
  const [small, large, secret] = [await upload('a.txt', 'x'), await upload('b.png', 'xyz'), await upload('c.txt', 'no')]
  await service.succeed('POST', '/posts', { cover: small, photos: [large] }, bob)
  await service.succeed('POST', '/notes', { scan: secret }, bob)
  const get = (query: string) => service.send('GET', `/files${query}`, undefined, boss)

  const all = await get('')
  assert.deepEqual(all.body, [
    { id: small, name: 'a.txt', mediaType: 'text/plain', size: 1 },
    { id: large, name: 'b.png', mediaType: 'image/png', size: 3 },
  ])
  assert.equal(all.headers.get('cache-control'), 'no-store')
  assert.deepEqual((await get('?size[gt]=1&fields=name')).body, [{ name: 'b.png' }])
  assert.deepEqual((await get('?sort=-size&limit=1&fields=id,url')).body[0].id, large)
  assert.equal((await get('?first=1')).body.pageInfo.hasNextPage, true)
  const text = `{
    files(where: {mediaType: {eq: "image/png"}}) { id name }
    filesConnection(first: 1) { totalCount edges { node { size } } }
    file(id: "${small}") { name url }
    hidden: file(id: "${secret}") { name }
  }`
  const { data } = await graphql(text, boss)
  assert.deepEqual(data.files, [{ id: large, name: 'b.png' }])
  assert.deepEqual(data.filesConnection, { totalCount: 2, edges: [{ node: { size: 1 } }] })
  assert.equal(data.file.name, 'a.txt')
  assert.equal(await (await fetch(`${service.address}${data.file.url}`)).text(), 'x')
  assert.equal(data.hidden, null)
})

test('R108 others can not list files, and read one only by its rules', async (t) => {
  const { service, bob, upload, graphql } = await openFiles(t)
  const [cover, secret] = [await upload('a.txt', 'x'), await upload('c.txt', 'no')]
  const { id } = await service.succeed('POST', '/posts', { photos: [cover] }, bob)
  await service.succeed('POST', '/notes', { scan: secret }, bob)
  const list = (headers: Record<string, string>) => service.send('GET', '/files', undefined, headers)
  assert.deepEqual([(await list({})).status, (await list(bob)).status], [401, 403])
  assert.equal((await list(bob)).body.detail, 'Files need the role admin.')
  const { errors } = await graphql('{ files { id } }', bob)
  assert.deepEqual([errors[0].path, errors[0].extensions.code], [['files'], 'FORBIDDEN'])
  const one = `{ file(id: "${cover}") { name } secret: file(id: "${secret}") { name } }`
  assert.deepEqual((await graphql(one, {})).data, { file: { name: 'a.txt' }, secret: null })
  // Files of a row are a list of the row.
  const nested = await service.send('GET', `/posts/${id}/photos?fields=name`)
  assert.deepEqual(nested.body, [{ name: 'a.txt' }])
  assert.notEqual(nested.headers.get('cache-control'), 'no-store')
  const methods = await Promise.all(['/files', `/files/${cover}`].map((path) => service.send('DELETE', path)))
  assert.deepEqual(
    methods.map(({ status, headers }) => [status, headers.get('allow')]),
    [
      [405, 'GET, HEAD, POST, OPTIONS'],
      [405, 'GET, HEAD, OPTIONS'],
    ],
  )
})

test('R108 without rules everyone lists all files', async (t) => {
  const service = await TestService.open(t, 'type Post { id: ID! cover: File }')
  const { id } = await service.succeed('POST', '/files?name=a.txt', 'x')
  assert.deepEqual(await service.succeed('GET', '/files?fields=id'), [{ id }])
})

async function openFiles(t: TestContext) {
  const service = await TestService.open(t, sdl)
  const [boss, bob] = [await service.signUp('boss'), await service.signUp('bob')]
  const headers = { 'content-type': 'application/json' }
  const roles = plainRequest('PATCH', `/users/${boss.id}`, { headers, body: '{"roles": ["admin"]}' })
  assert.equal((await service.service.handleAsSystem(roles)).status, 200)
  const bobs = { authorization: bob.authorization }
  return {
    service,
    boss: { authorization: boss.authorization },
    bob: bobs,
    /** Returns the id of the file. */
    async upload(name: string, body: string): Promise<string> {
      const type = name.endsWith('.png') ? 'image/png' : 'text/plain'
      const sent = { method: 'POST', body, headers: { ...bobs, 'content-type': type } }
      const reply = await fetch(`${service.address}/files?name=${name}`, sent)
      return ((await reply.json()) as { id: string }).id
    },
    graphql: async (query: string, headers: Record<string, string>) =>
      (await service.send('POST', '/graphql', { query }, headers)).body,
  }
}
