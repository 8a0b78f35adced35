// Metrics by route and by GraphQL operation: names of the schema, never of the client.
// stores: sqlite

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Metrics } from '../../packages/twain/src/http/index.ts'
import { TestService } from '../harness/test-service.ts'

const sdl = `
type Author @allow { id: ID! name: String! posts: [Post!]! }
type Post @allow { id: ID! title: String! author: Author }
`

test('requests are counted by the template of their path, operations by their root field', async (t) => {
  const metrics = new Metrics()
  t.after(() => metrics.close())
  const service = await TestService.open(t, sdl, {
    metrics: { of: metrics, to: 'open' },
    countOperation: (...counted) => metrics.operation(...counted),
    listening: { metrics },
  })
  const { id } = await service.succeed('POST', '/authors', { name: 'a' })
  await service.succeed('GET', `/authors/${id}`)
  await service.succeed('GET', `/authors/${id}/posts`)
  await service.send('GET', '/client-made-this-up')
  await service.succeed('GET', '/changes')
  await service.succeed('GET', '/docs/errors/GONE')
  const graphql = (query: string) => service.send('POST', '/graphql', { query })
  await graphql('query ClientName { authors { name } }')
  await graphql('query { alias: authors { name } posts { title } }')
  await graphql('{ madeUp }')
  await graphql('mutation { updateAuthor(id: "none", input: {name: "b"}) { id } }')
  const text = await service.succeed('GET', '/metrics')

  for (const line of [
    'twain_http_route_requests_total{route="/authors",method="POST",status_class="2xx"} 1',
    'twain_http_route_requests_total{route="/authors/{id}",method="GET",status_class="2xx"} 1',
    'twain_http_route_requests_total{route="/authors/{id}/posts",method="GET",status_class="2xx"} 1',
    'twain_http_route_requests_total{route="other",method="GET",status_class="4xx"} 1',
    'twain_http_route_requests_total{route="/changes",method="GET",status_class="2xx"} 1',
    'twain_http_route_requests_total{route="/docs/errors/{code}",method="GET",status_class="2xx"} 1',
    'twain_http_route_requests_total{route="/graphql",method="POST",status_class="2xx"} 4',
    'twain_graphql_operations_total{operation="authors",type="query",outcome="ok"} 1',
    'twain_graphql_operations_total{operation="other",type="query",outcome="ok"} 1',
    'twain_graphql_operations_total{operation="other",type="other",outcome="error"} 1',
    'twain_graphql_operations_total{operation="updateAuthor",type="mutation",outcome="error"} 1',
  ])
    assert.ok(text.includes(`\n${line}\n`), `${line}\nin\n${text}`)
  assert.doesNotMatch(text, /ClientName|alias|madeUp|made-this/)
})
