import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Metrics } from './metrics.ts'

test('counts requests by API, method and status class, and measures how long they took', () => {
  const metrics = new Metrics()
  for (let n = 0; n < 5; n++) metrics.began()
  metrics.ended('/posts/1', 'GET', 200, 0.4)
  metrics.ended('/posts/2', 'GET', 200, 3)
  metrics.ended('/graphql', 'BREW', 400, 70_000)
  metrics.ended('/graphql', 'GET', 200, 70_000)
  const text = metrics.text([
    { name: 'cache_entries', cache: 'a', kind: 'gauge', about: 'Cached entries.', value: () => 1 },
    { name: 'cache_entries', cache: 'b', kind: 'gauge', about: 'Cached entries.', value: () => 2 },
  ])
  metrics.close()

  for (const line of [
    'twain_http_requests_total{api="rest",method="GET",status_class="2xx"} 2',
    'twain_http_requests_total{api="graphql",method="other",status_class="4xx"} 1',
    'twain_http_requests_total{api="graphql",method="GET",status_class="2xx"} 1',
    'http_server_request_duration_seconds_bucket{api="rest",le="0.001"} 1',
    'http_server_request_duration_seconds_bucket{api="rest",le="0.005"} 2',
    'http_server_request_duration_seconds_bucket{api="graphql",le="30"} 0',
    'http_server_request_duration_seconds_bucket{api="graphql",le="+Inf"} 2',
    'http_server_request_duration_seconds_count{api="rest"} 2',
    'http_server_active_requests 1',
    '# TYPE twain_cache_entries gauge\ntwain_cache_entries{cache="a"} 1\ntwain_cache_entries{cache="b"} 2',
  ]) {
    assert.ok(`\n${text}`.includes(`\n${line}\n`), `${line}\nin\n${text}`)
  }
})

test('every line has the Prometheus format, and new paths add no series', () => {
  const metrics = new Metrics()
  const lines = () => metrics.text([]).trimEnd().split('\n')
  metrics.ended('/a', 'GET', 200, 1)
  const before = lines().length
  for (let n = 0; n < 1000; n++) metrics.ended(`/${n}`, 'GET', 200, n)
  assert.equal(lines().length, before)
  const form = /^(?:# (?:HELP|TYPE) [a-z_]+ .+|[a-z_]+(?:\{[a-z_]+="[^"\\]*"(?:,[a-z_]+="[^"\\]*")*\})? -?[\d.e+-]+)$/
  for (const line of lines()) assert.match(line, form)
  metrics.close()
})

test('counts by the template of the path and by the root field, and never by a name of the client', () => {
  const metrics = new Metrics()
  metrics.ended('/posts/1', 'GET', 200, 3, '/posts/{id}')
  metrics.ended('/posts/2', 'GET', 404, 30, '/posts/{id}')
  metrics.ended('/nope', 'GET', 404, 1)
  metrics.ended('/healthz', 'GET', 200, 1)
  metrics.operation('query', 'posts', false, 2)
  metrics.operation('mutation', 'createPost', true, 700)
  metrics.operation('query', null, false, 2)
  metrics.operation(null, null, true, 1)
  const text = metrics.text([])
  metrics.close()

  for (const line of [
    'twain_http_route_duration_seconds_bucket{route="/posts/{id}",method="GET",le="0.005"} 1',
    'twain_http_route_duration_seconds_bucket{route="/posts/{id}",method="GET",le="+Inf"} 2',
    'twain_http_route_duration_seconds_count{route="/posts/{id}",method="GET"} 2',
    'twain_http_route_requests_total{route="/posts/{id}",method="GET",status_class="2xx"} 1',
    'twain_http_route_requests_total{route="/posts/{id}",method="GET",status_class="4xx"} 1',
    'twain_http_route_requests_total{route="other",method="GET",status_class="4xx"} 1',
    'twain_http_route_requests_total{route="/healthz",method="GET",status_class="2xx"} 1',
    'twain_graphql_operations_total{operation="posts",type="query",outcome="ok"} 1',
    'twain_graphql_operations_total{operation="createPost",type="mutation",outcome="error"} 1',
    'twain_graphql_operations_total{operation="other",type="query",outcome="ok"} 1',
    'twain_graphql_operations_total{operation="other",type="other",outcome="error"} 1',
    'twain_graphql_operation_duration_seconds_bucket{operation="createPost",type="mutation",le="0.5"} 0',
  ]) {
    assert.ok(`\n${text}`.includes(`\n${line}\n`), `${line}\nin\n${text}`)
  }
})

test('after a thousand routes, as many reloads could bring, the rest is counted as other', () => {
  const metrics = new Metrics()
  for (let n = 0; n < 2000; n++) metrics.ended(`/${n}`, 'GET', 200, 1, `/${n}`)
  const text = metrics.text([])
  metrics.close()
  assert.equal(text.split('\n').filter((line) => line.startsWith('twain_http_route_requests_total{')).length, 1001)
  assert.match(text, /^twain_http_route_requests_total\{route="other",method="GET",status_class="2xx"\} 1000$/m)
})
