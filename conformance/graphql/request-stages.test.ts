// The stages of a GraphQL request (parse, validate, plan, execute, format) in `Server-Timing` and in the log; and a batch that is larger than
// the request quota of a minute.
// stores: sqlite

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type HttpServer, listen, RateLimit, type ServedRequest } from '../../packages/twain/src/http/index.ts'
import { openService, type Service } from '../../packages/twain/src/main/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'

describe('request stages', () => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-stages-'))
  const served: ServedRequest[] = []
  let service: Service
  let server: HttpServer

  before(async () => {
    const schemaFile = join(folder, 'schema.graphql')
    writeFileSync(schemaFile, 'type Note @allow { id: ID! text: String! }')
    const log = { info() {}, warn() {}, error() {} }
    const limits = defaultLimits
    service = await openService({ schemaFile, data: join(folder, 'data'), limits, log, rate: new RateLimit(8) })
    server = await listen({
      handle: service.handle,
      host: '127.0.0.1',
      port: 0,
      body: limits.bodyBytes,
      log,
      http: { serverTiming: true },
      onServed: (one) => served.push(one),
    })
  })
  after(async () => {
    await server.close()
    await service.close()
    rmSync(folder, { recursive: true })
  })

  test('Server-Timing has them in order for a new, a cached and an invalid document, and once for a batch', async () => {
    const query = { query: '{ notes { id } }' }
    for (const [body, stages] of [
      [query, ['parse', 'validate', 'plan', 'execute', 'format', 'total']],
      [query, ['parse', 'validate', 'plan', 'execute', 'format', 'total']],
      [{ query: '{ nots { id } }' }, ['parse', 'validate', 'total']],
      [
        [query, query, query],
        ['parse', 'validate', 'plan', 'execute', 'format', 'total'],
      ],
    ] as const) {
      const reply = await post(body)
      const timings = reply.headers.get('server-timing')!.split(', ')
      assert.deepEqual(
        timings.map((one) => one.split(';')[0]),
        stages,
      )
    }
  })

  test('the log has them beside the trace of the request', () => {
    const { traceparent: trace, stages } = served[0]!
    assert.equal(trace, traceparent)
    assert.deepEqual(Object.keys(stages!.toJSON()), ['parse', 'validate', 'plan', 'execute', 'format'])
  })

  test('a batch that is larger than the quota of a minute is refused for good, without Retry-After', async () => {
    const reply = await post(Array.from({ length: 9 }, () => ({ query: '{ notes { id } }' })))
    assert.equal(reply.status, 400)
    assert.match(await reply.text(), /One HTTP request contains 9 operations; the rate limit is 8 per minute\./)
  })

  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

  function post(body: unknown): Promise<Response> {
    const headers = { 'content-type': 'application/json', traceparent }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return fetch(`http://127.0.0.1:${server.port}/graphql`, init)
  }
})
