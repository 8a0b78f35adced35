// Who made a change (`by`) and through which client (`via`): in all kinds of events, and only for viewers who may see it.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { type Person, readEvents, TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'

const sdl = `
  type User @account(login: "email") @allow { id: ID! email: String! @unique name: String role: Role! @default(value: READER) }
  enum Role { READER AUDITOR admin }
  type Note @allow @allow(role: "AUDITOR", to: [AUDIT]) @allow(who: "owner", to: [AUDIT]) {
    id: ID!
    text: String
    owner: User
  }
  type Plain @allow { id: ID! text: String }
  type Echo @allow { id: ID! text: String }
`
const code = `
  export default {
    after: {
      async Plain({ kind, row }, { system }) {
        if (kind === 'created') await system.write.Echo.create({ text: row.text })
      },
    },
    on: {
      async Plain({ kind, id }, { system }) {
        if (kind === 'created') await system.write.Plain.update(id, { text: 'seen' })
      },
    },
  }
`

interface Entry {
  type: string
  by?: string | null
  via?: string | null
}

const author = ({ by, via }: Entry) => [by, via]

test('a change says who made it to those who may see it, and only to them', async (t) => {
  const service = await TestService.open(t, sdl, { code })
  const [ann, bob, carl] = [await service.signUp('ann'), await service.signUp('bob'), await service.signUp('carl')]
  const asSystem = (method: string, path: string, body: unknown) => {
    const headers = { host: 'localhost', 'content-type': 'application/json', 'user-agent': 'seed' }
    return service.service.handleAsSystem(plainRequest(method, path, { headers, body: JSON.stringify(body) }))
  }
  const as = ({ authorization }: Person, client?: string) =>
    client === undefined ? { authorization } : { authorization, 'x-client-name': client }
  const feed = (path: string, viewer: Person, count: number) =>
    until(
      async () => {
        const page = await service.succeed('GET', `/changes?resource=${path}`, undefined, as(viewer))
        return (page as { edges: { node: Entry }[] }).edges.map(({ node }) => node)
      },
      (found) => found.length >= count,
    )
  await service.succeed('PUT', '/notes/a', { text: 'x', owner: ann.id }, as(ann, 'web 1.0'))
  const mutation = 'mutation { updateNote(id: "a", input: {text: "y"}) { id } }'
  await service.succeed('POST', '/graphql', { query: mutation }, as(bob, 'app'))
  const authors = [
    [`account:${ann.id}`, 'web 1.0'],
    [`account:${bob.id}`, 'app'],
  ]
  const nobody = Array(2).fill([undefined, undefined])

  // The owner may, by the rule of the type; the role admin may not, since the type names others.
  assert.deepEqual((await feed('notes', ann, 2)).map(author), authors)
  assert.deepEqual((await feed('notes', bob, 2)).map(author), nobody)
  await asSystem('PATCH', `/users/${carl.id}`, { role: 'admin' })
  await until(
    async () => (await feed('plains', carl, 0)).length,
    () => true,
  )
  assert.deepEqual((await feed('notes', carl, 2)).map(author), nobody)

  // GraphQL has the same, as null where the viewer may not see it.
  const query = '{ changes(resource: "notes") { edges { node { type by via } } } }'
  for (const [viewer, expected] of [
    [ann, authors],
    [bob, Array(2).fill([null, null])],
  ] as const) {
    const { data } = (await service.succeed('POST', '/graphql', { query }, as(viewer))) as {
      data: { changes: { edges: { node: Entry }[] } }
    }
    assert.deepEqual(
      data.changes.edges.map(({ node }) => author(node)),
      expected,
    )
  }
  const [first] = await feed('notes', ann, 2)
  const after = (first as unknown as { id: string }).id
  const stream = await fetch(`${service.address}/graphql`, {
    method: 'POST',
    headers: { ...as(ann), 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query: `subscription { noteChanged(after: "${after}") { kind by via note { text } } }` }),
  })
  for await (const { data } of readEvents(stream)) {
    if (data === undefined || data === '') continue
    const { noteChanged } = JSON.parse(data).data
    assert.deepEqual(noteChanged, { kind: 'UPDATED', by: authors[1]![0], via: 'app', note: { text: 'y' } })
    break
  }

  // Custom code is named, with the client of the request. A type without AUDIT shows it to the role admin.
  await service.succeed('POST', '/plains', { text: 'hello' }, as(bob, 'app'))
  assert.deepEqual((await feed('plains', carl, 2)).map(author), [
    [`account:${bob.id}`, 'app'],
    ['job:on.Plain', undefined],
  ])
  assert.deepEqual((await feed('echoes', carl, 1)).map(author), [['hook:after.Plain', 'app']])
  assert.deepEqual((await feed('plains', ann, 2)).map(author), nobody)
  assert.deepEqual((await feed('users', carl, 4)).map(author).at(-1), ['operator', undefined])
})
