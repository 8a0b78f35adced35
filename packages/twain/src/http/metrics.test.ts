import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Metrics } from './metrics.ts'

test('tells requests by door, method and class of status, and how long they took', () => {
  const metrics = new Metrics()
  for (let n = 0; n < 5; n++) metrics.began()
  metrics.ended('/posts/1', 'GET', 200, 0.4)
  metrics.ended('/posts/2', 'GET', 200, 3)
  metrics.ended('/graphql', 'BREW', 400, 70_000)
  metrics.ended('/graphql/page.js', 'GET', 200, 70_000)
  const text = metrics.text([
    { name: 'cache_entries', of: 'a', kind: 'gauge', about: 'What is kept.', value: () => 1 },
    { name: 'cache_entries', of: 'b', kind: 'gauge', about: 'What is kept.', value: () => 2 },
  ])
  metrics.close()

  for (const line of [
    'twain_http_requests_total{door="rest",method="GET",status="2xx"} 2',
    'twain_http_requests_total{door="graphql",method="other",status="4xx"} 1',
    'twain_http_requests_total{door="graphql",method="GET",status="2xx"} 1',
    'twain_http_request_duration_seconds_bucket{door="rest",le="0.001"} 1',
    'twain_http_request_duration_seconds_bucket{door="rest",le="0.005"} 2',
    'twain_http_request_duration_seconds_bucket{door="graphql",le="30"} 0',
    'twain_http_request_duration_seconds_bucket{door="graphql",le="+Inf"} 2',
    'twain_http_request_duration_seconds_count{door="rest"} 2',
    'twain_http_requests_in_flight 1',
    '# TYPE twain_cache_entries gauge\ntwain_cache_entries{of="a"} 1\ntwain_cache_entries{of="b"} 2',
  ]) {
    assert.ok(`\n${text}`.includes(`\n${line}\n`), `${line}\nin\n${text}`)
  }
})

test('every line is of the format, and however many paths are asked for, no series is added', () => {
  const metrics = new Metrics()
  const lines = () => metrics.text([]).trimEnd().split('\n')
  metrics.ended('/a', 'GET', 200, 1)
  const before = lines().length
  for (let n = 0; n < 1000; n++) metrics.ended(`/${n}`, 'GET', 200, n)
  assert.equal(lines().length, before)
  const form = /^(?:# (?:HELP|TYPE) [a-z_]+ .+|[a-z_]+(?:\{[a-z]+="[^"\\]*"(?:,[a-z]+="[^"\\]*")*\})? -?[\d.e+-]+)$/
  for (const line of lines()) assert.match(line, form)
  metrics.close()
})
