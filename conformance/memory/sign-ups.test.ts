// Sign-ups in masses: everything is judged before a password is hashed, clients take turns, and a stop does not wait for them.
// stores: sqlite, postgres
// process: own (real hashes of passwords)

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { TestService } from '../harness/test-service.ts'

const sdl = `
type User @account(login: "email") @allow(to: [READ, CREATE]) @allow(who: "self") {
  id: ID!
  email: String! @unique
  name: String
  friend: User
}
`
const password = 'a long password'
const user = (n: number) => ({ email: `user${n}@example.org`, password })

test('one request sets ten passwords at most, on both APIs', async (t) => {
  const service = await TestService.open(t, sdl)
  const users = Array.from({ length: 11 }, (_, n) => user(n))
  const fields = users.map(
    ({ email }, n) => `u${n}: createUser(input: {email: "${email}", password: "${password}"}) { id }`,
  )

  const rest = await service.send('POST', '/users', users)
  const batch = await service.send(
    'POST',
    '/batch',
    users.map((body) => ({ method: 'POST', path: '/users', body })),
  )
  const graphql = await service.send('POST', '/graphql', { query: `mutation { ${fields.join(' ')} }` })

  assert.deepEqual([rest.status, batch.status], [400, 400])
  assert.match(rest.body.detail, /10 passwords/)
  assert.deepEqual(
    graphql.body.errors?.map(({ path, message }: { path: string[]; message: string }) => [path[0], message]),
    [['u10', 'One request may set 10 passwords at most.']],
  )
  assert.equal((await service.succeed('GET', '/users?limit=100')).length, 10)
})

test('what is refused costs no hash: many bad sign-ups hold up no good one', async (t) => {
  const service = await TestService.open(t, sdl)
  const bad = Array.from({ length: 9 }, (_, n) => user(n))
  const bodies = [...bad, { ...user(9), friend: 'nobody' }]
  const began = performance.now()
  const refused = Array.from({ length: 8 }, () => service.send('POST', '/users', bodies))
  const good = await service.send('POST', '/users', user(100))

  assert.equal(good.status, 201)
  for (const reply of await Promise.all(refused)) assert.equal(reply.status, 409)
  const hashMs = await timeOfHash(service)
  assert.ok(performance.now() - began < 80 * hashMs, 'the passwords of refused writes were hashed')
})

test('a client with many sign-ups waits for itself, and not others for it', async (t) => {
  const service = await TestService.open(t, sdl)
  const signUp = async (n: number, address: string) => {
    const body = JSON.stringify(user(n))
    const request = plainRequest('POST', '/users', { headers: { 'content-type': 'application/json' }, body, address })
    const context = { client: address, connection: null, passwords: 0, responseHeaders: [] }
    const { status } = await service.service.handle({ ...request, context } as never)
    return status
  }
  const order: string[] = []
  const greedy = Array.from({ length: 20 }, async (_, n) => {
    const status = await signUp(n, '192.0.2.1')
    order.push('greedy')
    return status
  })
  await greedy[0]
  assert.equal(await signUp(100, '192.0.2.2'), 201)
  assert.ok(order.length < 12, `${order.length} others were served first`)
  assert.deepEqual(new Set(await Promise.all(greedy)), new Set([201]))
})

test('a repeated sign-up with its idempotency key gets its first answer', async (t) => {
  const service = await TestService.open(t, sdl)
  const first = await service.send('POST', '/users', user(1), { 'idempotency-key': 'once' })
  const second = await service.send('POST', '/users', user(1), { 'idempotency-key': 'once' })

  assert.deepEqual([first.status, second.status], [201, 201])
  assert.equal(second.body.id, first.body.id)
  assert.equal(second.headers.get('idempotent-replayed'), 'true')
})

test('nothing is hashed for clients that have gone', async (t) => {
  const service = await TestService.open(t, sdl)
  const { hostname, port } = new URL(service.address)
  for (let client = 0; client < 3; client++) {
    const body = JSON.stringify(Array.from({ length: 10 }, (_, n) => user(client * 10 + n)))
    const socket = connect(Number(port), hostname)
    const head = `POST /users HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
    await new Promise((resolve) => socket.write(head + body, resolve))
    await new Promise((resolve) => setTimeout(resolve, 20))
    socket.destroy()
  }
  await service.succeed('POST', '/users', user(1000))

  const users = await service.succeed('GET', '/users?limit=100')
  assert.ok(users.length < 31, 'every password was hashed')
})

async function timeOfHash(service: TestService): Promise<number> {
  const began = performance.now()
  await service.succeed('POST', '/users', user(2000))
  return performance.now() - began
}
