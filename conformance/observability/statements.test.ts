// The statements of single requests, which administrators ask for with `Prefer: statements`, on both APIs.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TestService } from '../harness/test-service.ts'

const sdl = `
  type User @account @allow(to: [READ, CREATE]) { id: ID! email: String! @unique name: String! roles: [String!] }
  type Post @allow { id: ID! title: String! secret: String @allow(role: "admin") }
`

interface Statement {
  request: string
  shape: string
  sql: string
  ms: number
  cached: boolean
  plan: string | null
}

describe('statements of one request', () => {
  let service: TestService
  let admin: { authorization: string }
  let ann: { authorization: string }
  before(async () => {
    service = await TestService.open({ after() {} }, sdl)
    admin = { authorization: `Bearer ${await service.operator('admin')}` }
    const { authorization } = await service.signUp('ann')
    ann = { authorization }
    await service.succeed('POST', '/posts', [{ title: 'first' }, { title: 'second' }])
  })
  after(() => service?.close())

  const prefer = { prefer: 'statements' }
  const record = async (method: string, path: string, body?: unknown): Promise<string> => {
    const { headers } = await service.send(method, path, body, { ...admin, ...prefer })
    assert.equal(headers.get('preference-applied'), 'statements')
    return headers.get('x-request-id')!
  }
  const find = (id: string): Promise<Statement[]> =>
    service.succeed('GET', `/metrics/statements?request=${id}`, undefined, admin)

  test('R334: a read has its statement with placeholders, its time and its plan, the same on both APIs', async () => {
    const rest = await find(await record('GET', '/posts?title=zanzibar&fields=id,title'))
    const query = '{ posts(where: {title: {eq: "zanzibar"}}) { id title } }'
    const id = await record('POST', '/graphql', { query })
    const asked = { query: `{ serviceStatements(request: "${id}") { request shape sql ms cached plan } }` }
    const { data } = await service.succeed('POST', '/graphql', asked, admin)
    for (const statements of [rest, data.serviceStatements] as Statement[][]) {
      const read = statements.find(({ shape }) => shape.startsWith('Post list'))
      assert.ok(read !== undefined, JSON.stringify(statements))
      assert.match(read.sql, /^(SELECT|WITH).*"Post"/s)
      assert.match(read.plan!, /SCAN|Scan/)
      assert.ok(read.ms >= 0)
      assert.ok(!JSON.stringify(statements).includes('zanzibar'))
    }
    const again = await find(await record('GET', '/posts?title=zanzibar&fields=id,title'))
    assert.equal(
      again.find(({ shape }) => shape.startsWith('Post list'))!.sql,
      rest.find(({ shape }) => shape.startsWith('Post list'))!.sql,
    )
  })

  test('R334: a write has its statements, without values', async () => {
    const statements = await find(await record('POST', '/posts', { title: 'hush-hush', secret: 'zanzibar' }))
    assert.ok(
      statements.some(({ shape, sql }) => shape === 'create Post' && /INSERT INTO/.test(sql)),
      JSON.stringify(statements),
    )
    assert.ok(!/hush-hush|zanzibar/.test(JSON.stringify(statements)))
    const mutation = { query: 'mutation { createPost(input: {title: "other", secret: "zanzibar"}) { id } }' }
    const written = await find(await record('POST', '/graphql', mutation))
    assert.ok(written.some(({ sql }) => /INSERT INTO/.test(sql)))
    const batch = [1, 2, 3].map((number) => ({ title: `row ${number}` }))
    assert.ok((await find(await record('POST', '/posts', batch))).some(({ sql }) => /INSERT INTO/.test(sql)))
  })

  test('R334: the answer has the time of each stage, for administrators alone', async () => {
    const request = { query: '{ posts { id } }' }
    const stagesOf = async (method: string, path: string, body: unknown, viewer: object) =>
      (await service.send(method, path, body, { ...viewer, ...prefer })).headers.get('server-timing')
    assert.match((await stagesOf('GET', '/posts', undefined, admin))!, /plan;dur=.*store;dur=.*total;dur=/)
    assert.match((await stagesOf('POST', '/graphql', request, admin))!, /plan;dur=.*execute;dur=.*total;dur=/)
    assert.equal(await stagesOf('GET', '/posts', undefined, ann), null)
    assert.equal(await stagesOf('POST', '/graphql', request, ann), null)
    assert.equal((await service.send('GET', '/posts', undefined, admin)).headers.get('server-timing'), null)
  })

  test('R334: without an id, those of the last recorded request', async () => {
    const id = await record('GET', '/posts?fields=title')
    await service.succeed('GET', '/posts?fields=id', undefined, admin)
    const last = await service.succeed('GET', '/metrics/statements', undefined, admin)
    assert.deepEqual(last, await find(id))
    assert.deepEqual(new Set(last.map(({ request }: Statement) => request)), new Set([id]))
    const query = '{ serviceStatements { request } }'
    const { data } = await service.succeed('POST', '/graphql', { query }, admin)
    assert.deepEqual(data.serviceStatements[0], { request: id })
  })

  test('concurrent requests keep their statements apart, and others are not recorded', async () => {
    const ids = await Promise.all(
      ['title', 'id', 'secret'].flatMap((field) => [
        record('GET', `/posts?fields=${field}`),
        service.send('GET', '/users', undefined, ann).then(() => null),
      ]),
    )
    const shapes = []
    for (const id of ids)
      if (id !== null)
        shapes.push((await find(id)).map(({ shape }) => shape).filter((shape) => /Post|User/.test(shape)))
    assert.deepEqual(
      shapes.map((one) => one.length),
      [1, 1, 1],
    )
    assert.equal(new Set(shapes.flat()).size, 3)
  })

  test('R334: nobody else is recorded, or reads what was recorded', async () => {
    const id = await record('GET', '/posts')
    for (const [headers, status, code] of [
      [{}, 401, 'UNAUTHENTICATED'],
      [ann, 403, 'FORBIDDEN'],
    ] as const) {
      const own = await service.send('GET', '/posts', undefined, { ...headers, ...prefer })
      assert.deepEqual([own.status, own.headers.get('preference-applied')], [200, null])
      const unrecorded = await service.send(
        'GET',
        `/metrics/statements?request=${own.headers.get('x-request-id')}`,
        undefined,
        admin,
      )
      assert.deepEqual([unrecorded.status, unrecorded.body.code], [404, 'NOT_FOUND'])
      const refused = await service.send('GET', `/metrics/statements?request=${id}`, undefined, headers)
      assert.deepEqual([refused.status, refused.body.code], [status, code])
      const query = `{ serviceStatements(request: "${id}") { sql } }`
      const { data, errors } = (await service.send('POST', '/graphql', { query }, headers)).body
      assert.deepEqual([data, errors[0].extensions.code], [null, code])
    }
  })
})
