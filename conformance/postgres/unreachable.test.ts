// What clients see while PostgreSQL is unreachable.
// stores: postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '../../packages/client/src/index.ts'
import { DatabaseProxy } from '../../packages/twain/src/store/postgres/database-proxy.fixture.ts'
import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { TestService } from '../harness/test-service.ts'

test('both APIs answer 503 with Retry-After, and a client repeats both until the database is back', async (t) => {
  const database = await makeTestDatabase()
  const proxy = await DatabaseProxy.open(database.address)
  const service = await TestService.open(t, 'type Note @allow { id: ID!, text: String! }', { database: proxy.address })
  t.after(() => proxy.close())
  t.after(() => database.drop())
  await service.succeed('POST', '/notes', { text: 'first' })
  const query = '{ notes { text } }'
  assert.equal((await service.send('POST', '/graphql', { query })).status, 200)

  await proxy.stop()
  const rest = await service.send('GET', '/notes')
  const graphql = await service.send('POST', '/graphql', { query })
  const stream = await service.send('POST', '/graphql', { query }, { accept: 'text/event-stream' })
  for (const { status, headers } of [rest, graphql, stream])
    assert.deepEqual([status, headers.get('retry-after')], [503, '1'])
  assert.equal(graphql.body.errors[0].extensions.code, 'UNAVAILABLE')

  let requests = 0
  const client = createClient({
    url: `${service.address}/graphql`,
    retry: { attempts: 20 },
    fetch: async (input, init) => {
      if (++requests === 2) await proxy.restart()
      return fetch(input, init)
    },
  })
  t.after(() => client.close())
  const { data } = await client.query(query)
  assert.deepEqual(data, { notes: [{ __typename: 'Note', text: 'first' }] })
  assert.ok(requests > 1)
})
