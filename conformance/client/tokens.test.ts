// Tokens that expire while the client uses them: requests and sockets get one new token, and no event is missed.
// stores: sqlite

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '@twain/client'
import { TestService } from '../harness/test-service.ts'

const sdl = `
  type User @account @allow(to: [CREATE]) @allow(who: "self") { id: ID! email: String! @unique name: String }
  type Note @allow(who: "author") { id: ID! text: String! author: User! @auto(set: VIEWER) }
`

test('an expired token is renewed once for requests and the socket, which resumes where it was', async (t) => {
  const service = await TestService.open(t, sdl)
  const ann = await service.signUp('ann')
  const signIn = () => service.succeed('POST', '/tokens', { email: 'ann@example.org', password: 'a long password' })
  const mine: { id: string; token: string } = await signIn()
  let current = mine.token
  let refreshed = 0
  const client = createClient({
    url: `${service.address}/graphql`,
    authorization: () => `Bearer ${current}`,
    async refresh() {
      refreshed++
      current = (await signIn()).token
    },
  })
  const received: (string | undefined)[] = []
  client.subscribe<{ noteCreated: { text: string } }, object>('subscription { noteCreated { text } }', {}, ({ data }) =>
    received.push(data?.noteCreated.text),
  )
  const written: string[] = []
  const write = async (text: string) => {
    written.push(text)
    await service.succeed('POST', '/notes', { text }, { authorization: ann.authorization })
  }
  const until = async (isTrue: () => boolean) => {
    const deadline = performance.now() + 60_000
    while (!isTrue()) {
      if (performance.now() > deadline) assert.fail(`got ${received.join()}`)
      await pause(20)
    }
  }
  while (received.length === 0) {
    await write(`n${written.length}`)
    await pause(20)
  }
  await until(() => received.at(-1) === written.at(-1))
  const start = written.length - received.length
  const { status } = await service.send('DELETE', `/tokens/${mine.id}`, undefined, { authorization: ann.authorization })
  assert.equal(status, 204)
  // The server closes the socket within five seconds, and the client reconnects with the new token.
  await until(() => refreshed > 0)
  await write('after')
  await until(() => received.at(-1) === 'after')
  assert.deepEqual(received, written.slice(start))
  const [first, second] = await Promise.all(
    ['One', 'Two'].map((name) => client.query<{ notes: unknown[] }>(`query ${name} { notes { text } }`)),
  )
  assert.deepEqual([first?.data?.notes.length, second?.data?.notes.length], [written.length, written.length])
  assert.equal(refreshed, 1)
  client.close()
})
