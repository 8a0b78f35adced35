// Creates that arrive together may share a commit, and on PostgreSQL a statement. Each has its own answer, its own entry in the change log and its
// own refusal, through both APIs.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'

// Types with the names that a statement might use itself.
const sdl = `
  type User @account(login: "email") @allow { id: ID! email: String! @unique name: String }
  type w @allow { id: ID! name: String! }
  type e @allow { id: ID! name: String! }
  type logged @allow { id: ID! name: String! }
  type Note @allow @allow(who: "author", to: [AUDIT]) @softDelete {
    id: ID!
    code: String! @unique
    text: String! @search
    to: w!
    from: e!
    in: logged!
    author: User @auto(set: VIEWER)
  }
`

const selection = 'id code text to { name } from { name } in { name } author { id }'

test('creates that arrive together have their own answers and entries', async (t) => {
  const service = await TestService.open(t, sdl)
  const people = [await service.signUp('ann'), await service.signUp('bob')]
  const owned = { to: await make('/ws'), from: await make('/es'), in: await make('/loggeds') }
  const names = { to: { name: '/ws' }, from: { name: '/es' }, in: { name: '/loggeds' } }

  const made = await Promise.all(
    Array.from({ length: 16 }, async (_, n) => {
      const { id: author, authorization } = people[n % 2]!
      const [via, trace] = [`client ${n}`, `${n}`.padStart(32, '0')]
      const headers = { authorization, 'x-client-name': via, traceparent: `00-${trace}-00f067aa0ba902b7-01` }
      const input = { code: `code ${n}`, text: `text${n}end`, ...owned }
      const note = n < 8 ? await byRest(input, headers) : await byGraphql(input, headers)
      const { id, ...others } = note
      assert.deepEqual(others, { code: input.code, text: input.text, ...names, author: { id: author } })
      return { id: id as string, author, via, text: input.text, headers }
    }),
  )

  for (const { id, author, via, text, headers } of made) {
    const [change, ...more] = await until(
      async () => (await service.succeed('GET', `/notes/${id}/changes`, undefined, headers)).edges,
      ({ length }) => length > 0,
    )
    const { kind, version, by, via: client } = change.node
    assert.deepEqual([kind, version, by, client, more], ['CREATED', 1, `account:${author}`, via, []])
    const found = await service.succeed('GET', `/notes?search=${text}`)
    assert.deepEqual(
      found.map((note: { id: string }) => note.id),
      [id],
    )
  }

  async function make(path: string): Promise<string> {
    return (await service.succeed('POST', path, { name: path })).id
  }

  async function byRest(input: object, headers: Record<string, string>) {
    const fields = 'id,code,text,to.name,from.name,in.name,author.id'
    return service.succeed('POST', `/notes?fields=${fields}`, input, headers)
  }

  async function byGraphql(input: object, headers: Record<string, string>) {
    const query = `mutation ($input: CreateNoteInput!) { createNote(input: $input) { ${selection} } }`
    return (await service.succeed('POST', '/graphql', { query, variables: { input } }, headers)).data.createNote
  }
})

test('of creates that arrive together only those are refused that take a value of another, or name no row', async (t) => {
  const service = await TestService.open(t, sdl)
  const make = async (path: string) => (await service.succeed('POST', path, { name: path })).id as string
  const owned = { to: await make('/ws'), from: await make('/es'), in: await make('/loggeds') }
  const sent = await Promise.all(
    Array.from({ length: 12 }, (_, n) => {
      const input = { code: `code ${n < 3 ? 0 : n}`, text: 'text', ...owned, ...(n === 5 && { to: 'nobody' }) }
      return service.send('POST', '/notes', input)
    }),
  )
  const codes = sent.map(({ status, body }) => (status === 201 ? 'created' : body.errors[0].code))
  assert.deepEqual(codes.slice(0, 3).sort(), ['UNIQUE', 'UNIQUE', 'created'])
  assert.deepEqual(
    codes.slice(3),
    codes.slice(3).map((_, at) => (at === 2 ? 'REFERENCE' : 'created')),
  )
  assert.equal((await service.succeed('GET', '/notes?limit=20')).length, 9)
})
