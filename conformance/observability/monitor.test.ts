// What administrators see of the running node: its load, its slow queries with their plans, and the tail of its log, on both APIs.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { LogHistory, SlowStatements } from '../../packages/twain/src/base/index.ts'
import { Metrics } from '../../packages/twain/src/http/index.ts'
import { silent } from '../../packages/twain/src/store/store.fixture.ts'
import { TestService } from '../harness/test-service.ts'

const sdl = `
  type User @account @allow(to: [READ, CREATE]) { id: ID! email: String! @unique name: String! roles: [String!] }
  type Post @allow { id: ID! title: String! stars: Int }
`
const figures = 'requests errors refused p50 p95 p99'

/** Without the statements of the server itself, which may be slower than those of the test. */
class SlowPosts extends SlowStatements {
  override record(statement: Parameters<SlowStatements['record']>[0], milliseconds: number): void {
    if (statement.shape.startsWith('Post')) super.record(statement, milliseconds)
  }
}

describe('the running node', () => {
  const history = new LogHistory(() => '')
  const log = history.keeping(silent)
  let service: TestService
  let admin: { authorization: string }
  let ann: { authorization: string }

  before(async () => {
    const metrics = new Metrics()
    service = await TestService.open({ after() {} }, sdl, {
      log,
      metrics: { of: metrics, to: 'local' },
      monitored: { load: metrics.load, log: history },
      countOperation: (...counted) => metrics.operation(...counted),
      slowStatements: new SlowPosts(),
      slowQueryMs: 0.0001,
      listening: { metrics },
    })
    admin = { authorization: `Bearer ${await service.operator('admin')}` }
    const { authorization } = await service.signUp('ann')
    ann = { authorization }
  })
  after(() => service?.close())

  const graphql = async (query: string, headers = {}) =>
    (await service.send('POST', '/graphql', { query }, headers)).body

  test('R330: requests are counted by route and by operation, the same on both APIs', async () => {
    await service.succeed('GET', '/posts')
    await service.send('GET', '/posts/none')
    await graphql('{ posts { id } }')
    await graphql('{ posts(limit: -1) { id } }')
    const load = await service.succeed('GET', '/metrics/load?minutes=5', undefined, admin)
    const named = (id: string) => [...load.routes, ...load.operations].find((one) => one.id === id)
    assert.equal(named('GET /posts').requests, 1)
    assert.deepEqual([named('GET /posts/{id}').refused, named('GET /posts/{id}').errors], [1, 0])
    assert.deepEqual([named('query posts').requests, named('query posts').errors], [2, 1])
    assert.ok(named('GET /posts').p50 > 0 && named('GET /posts').p99 >= named('GET /posts').p50)
    assert.ok(load.caches.some((one: { name: string; misses: number }) => one.name === 'rest_plans' && one.misses > 0))

    const one = await service.succeed('GET', `/metrics/load?of=${encodeURIComponent('query posts')}`, undefined, admin)
    const { data } = await graphql(
      `{ serviceLoad(of: "query posts") { node startedAt points { time seconds ${figures} } operations { id ${figures} } caches { name hits } } }`,
      admin,
    )
    const total = (points: { requests: number }[]) => points.reduce((sum, { requests }) => sum + requests, 0)
    assert.deepEqual([total(one.points), total(data.serviceLoad.points)], [2, 2])
    assert.deepEqual([data.serviceLoad.node, data.serviceLoad.startedAt], [one.node, one.startedAt])
    assert.deepEqual(data.serviceLoad.operations[0], one.operations[0])
  })

  test('R331: slow queries have their plan, and the index that would help', async () => {
    await service.succeed('GET', '/posts?title=zanzibar&fields=title')
    const found = await service.succeed('GET', '/metrics/slow-queries', undefined, admin)
    const { data } = await graphql('{ serviceSlowQueries { shape sql hint count maxMs lastMs lastAt plan } }', admin)
    for (const list of [found, data.serviceSlowQueries]) {
      const query = list.find(({ shape }: { shape: string }) => shape.startsWith('Post list: title where title eq'))
      assert.ok(query !== undefined, JSON.stringify(list.map(({ shape }: { shape: string }) => shape)))
      assert.equal(query.hint, 'An index would help the filter of posts: @index on Post.title.')
      assert.match(query.plan, /SCAN|Scan/)
      assert.match(query.sql, /"Post"/)
      assert.ok(query.maxMs >= query.lastMs && query.count >= 1)
    }
    assert.ok(!JSON.stringify(found).includes('zanzibar'))
  })

  test('R332: the tail of the log goes on from its cursor, and waits', async () => {
    log.warn({ place: 'here' }, 'a <script>alert(1)</script> entry')
    const first = await service.succeed('GET', '/metrics/log?level=warn&words=script%20here', undefined, admin)
    assert.deepEqual(
      first.entries.map(({ level, message, fields }: Record<string, unknown>) => [level, message, fields]),
      [['warn', 'a <script>alert(1)</script> entry', { place: 'here' }]],
    )
    const { data } = await graphql(
      '{ serviceLog(level: "warn", words: "script here") { entries { time level message fields } endCursor missed hasMore } }',
      admin,
    )
    assert.deepEqual(data.serviceLog.entries, first.entries)
    const target = `/metrics/log?words=later&after=${first.endCursor}`
    const waiting = service.send('GET', target, undefined, { ...admin, prefer: 'wait=20' })
    log.info({}, 'later')
    const { body, headers } = await waiting
    assert.deepEqual(
      body.entries.map(({ message }: { message: string }) => message),
      ['later'],
    )
    assert.equal(headers.get('preference-applied'), 'wait=20')
    const after = await graphql(
      `{ serviceLog(words: "later", after: "${body.endCursor}") { entries { message } } }`,
      admin,
    )
    assert.deepEqual(after.data.serviceLog.entries, [])
  })

  test('R333: nobody else learns anything, not even a name', async () => {
    const fields = ['serviceLoad { node }', 'serviceSlowQueries { sql }', 'serviceLog { endCursor }']
    for (const [index, path] of ['/metrics/load', '/metrics/slow-queries', '/metrics/log'].entries()) {
      for (const [headers, status, code] of [
        [{}, 401, 'UNAUTHENTICATED'],
        [ann, 403, 'FORBIDDEN'],
      ] as const) {
        const reply = await service.send('GET', path, undefined, headers)
        assert.deepEqual([reply.status, reply.body.code], [status, code], path)
        const { data, errors } = await graphql(`{ ${fields[index]} }`, headers)
        assert.deepEqual([data, errors[0].extensions.code], [null, code])
      }
    }
  })

  test('R333: mistakes have the same code and name the argument', async () => {
    for (const [path, field, place] of [
      ['/metrics/load?minutes=61', 'serviceLoad(minutes: 61) { node }', 'minutes'],
      ['/metrics/load?of=GET%20/postz', 'serviceLoad(of: "GET /postz") { node }', 'of'],
      ['/metrics/log?first=0', 'serviceLog(first: 0) { endCursor }', 'first'],
      ['/metrics/log?level=warning', 'serviceLog(level: "warning") { endCursor }', 'level'],
      ['/metrics/log?after=x', 'serviceLog(after: "x") { endCursor }', 'after'],
    ] as const) {
      const reply = await service.send('GET', path, undefined, admin)
      assert.deepEqual([reply.status, reply.body.errors[0].path], [400, place])
      const { errors } = await graphql(`{ ${field} }`, admin)
      const [{ extensions }] = errors
      assert.deepEqual(
        [extensions.code, extensions.errors[0].path],
        [reply.body.code, `${field.split('(')[0]}.${place}`],
      )
      assert.equal(extensions.errors[0].message, reply.body.errors[0].message)
    }
    const typo = await service.send('GET', '/metrics/load?minute=3', undefined, admin)
    assert.match(typo.body.errors[0].message, /minutes/)
  })
})
