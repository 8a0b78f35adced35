// Computed fields in subscriptions: their value as of the change, for each viewer; a failure makes only its field null.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import { type Person, TestService } from '../harness/test-service.ts'

const sdl = `
  type User @account @allow(to: [CREATE, READ]) @allow(who: "self") { id: ID! email: String! @unique name: String }
  type Note @allow(who: "signedIn") {
    id: ID!
    text: String!
    shout(mark: String! = "!"): String! @computed(from: ["text"])
    mine: Boolean @computed(from: ["author"])
    length: Int @computed(from: ["text"])
    author: User! @auto(set: VIEWER)
    like: [Note!]! @computed
  }
`
const code = `
  export default {
    resolvers: {
      Note: {
        shout: (rows, { mark }) => rows.map(({ text }) => (text === 'fail' ? new Error('no') : text.toUpperCase() + mark)),
        mine: (rows, _args, { viewer }) => rows.map(({ author }) => author === viewer.id),
        length: (rows) => rows.map(({ text }) => (text === 'long' ? new Error('a secret') : text.length)),
        like: (rows) => rows.map(({ id }) => [id]),
      },
    },
  }
`

interface Result {
  data: Record<string, Record<string, unknown>> | null
  errors?: { message: string; path: unknown[]; extensions: { code: string } }[]
}

test('subscriptions have computed fields, for each viewer as the code decides', async (t) => {
  const ends: (() => unknown)[] = []
  t.after(async () => {
    for (const end of ends) await end()
  })
  const service = await TestService.open({ after: (end) => void ends.push(end as () => unknown) }, sdl, { code })
  const people = [await service.signUp('ann'), await service.signUp('bob')]
  const [ann, bob] = people as [Person, Person]
  const write = (method: string, path: string, body: object) =>
    service.succeed(method, path, body, { authorization: ann.authorization })

  const wrong: unknown[] = []

  function listen({ authorization }: Person, query: string): Result[] {
    const client = createClient({
      url: `${service.address.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization },
    })
    ends.unshift(() => client.dispose())
    const results: Result[] = []
    client.subscribe({ query }, { next: (result) => void results.push(result as Result), error: fail, complete() {} })
    return results
  }
  // A connection that ends with the service is no failure.
  const fail = (error: unknown) => void (Array.isArray(error) && wrong.push(error))

  const created = 'subscription { noteCreated { text loud: shout shout(mark: "?") mine like { text shout } } }'
  const changed = 'subscription { noteChanged { kind note { text length } again: note { shout } } }'
  const received = { ann: listen(ann, created), bob: listen(bob, created), all: listen(bob, changed) }
  // All subscriptions are active when each has received this write.
  for (let tries = 0; Object.values(received).some(({ length }) => length === 0) && tries < 300; tries++) {
    await write('POST', '/notes', { text: 'ready?' })
    await pause(50)
  }
  await write('POST', '/notes', { text: 'hello' })
  const long = await write('POST', '/notes', { text: 'long' })
  await write('PATCH', `/notes/${long.id}`, { text: 'short' })
  await write('POST', '/notes', { text: 'fail' })
  await write('DELETE', `/notes/${long.id}`, {})
  const last = (results: Result[], count: number, text: string) => {
    const at = results.findIndex(({ data }) => JSON.stringify(data).includes(text))
    return at < 0 ? [] : results.slice(at, at + count)
  }
  const there = () =>
    last(received.ann, 3, 'hello').length +
    last(received.bob, 3, 'hello').length +
    last(received.all, 5, 'hello').length
  for (let tries = 0; there() < 11 && tries < 1000; tries++) await pause(10)

  assert.deepEqual(wrong, [])
  for (const [results, mine] of [
    [received.ann, true],
    [received.bob, false],
  ] as const) {
    const [hello, other, failed] = last(results, 3, 'hello')
    const row = { text: 'hello', loud: 'HELLO!', shout: 'HELLO?', mine, like: [{ text: 'hello', shout: 'HELLO!' }] }
    assert.deepEqual(hello!.data, { noteCreated: row })
    assert.equal(other!.data!.noteCreated!.loud, 'LONG!')
    // A failed non-null field makes the row null, as in a query.
    assert.equal(failed!.data, null)
    assert.deepEqual(
      failed!.errors?.map(({ path, extensions }) => [path.join('.'), extensions.code]),
      [['noteCreated.loud', 'INTERNAL']],
    )
  }
  const [, secret, patched, nulled, deletion] = last(received.all, 5, 'hello')
  assert.deepEqual(secret!.data!.noteChanged, {
    kind: 'CREATED',
    note: { text: 'long', length: null },
    again: { shout: 'LONG!' },
  })
  assert.deepEqual(
    secret!.errors?.map(({ path }) => path.join('.')),
    ['noteChanged.note.length'],
  )
  assert.doesNotMatch(JSON.stringify(secret), /a secret/)
  assert.deepEqual(patched!.data!.noteChanged, {
    kind: 'UPDATED',
    note: { text: 'short', length: 5 },
    again: { shout: 'SHORT!' },
  })
  assert.deepEqual(nulled!.data!.noteChanged, { kind: 'CREATED', note: { text: 'fail', length: 4 }, again: null })
  assert.deepEqual(deletion!.data!.noteChanged, { kind: 'DELETED', note: null, again: null })
})
