import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServerTiming } from '#base/http'
import type { ServedRequest } from '#http'
import { humanLog, jsonLog, leveled, requestEntry, requestLog } from './log.ts'
import { createPaint } from './paint.ts'

test('an entry for machines is one line of JSON', () => {
  const lines: string[] = []
  jsonLog(
    (text) => lines.push(text),
    () => new Date(0),
  ).error({ id: 'a', error: 'x\ny' }, 'failed')
  assert.deepEqual(lines, [
    '{"time":"1970-01-01T00:00:00.000Z","level":"error","message":"failed","id":"a","error":"x\\ny"}\n',
  ])
})

test('an entry for people is short, with the stack below it', () => {
  const lines: string[] = []
  const log = humanLog((text) => lines.push(text), createPaint(false))
  log.info({}, 'hello')
  log.warn({ rows: 3 }, 'slow')
  log.error({ id: 'a', error: 'Error: x\n    at y' }, 'failed')
  assert.deepEqual(lines, ['hello\n', 'warning slow rows=3\n', 'error failed id=a\n  Error: x\n      at y\n'])
})

test('the entry of a request is valid JSON for any input and has no query string', () => {
  const lines: string[] = []
  const logRequest = requestLog((one) => lines.push(requestEntry(one)), { level: 'info' })
  const odd = '/a"\\\n\u0000é\ud800'
  const stages = new ServerTiming()
  stages.mark('parse')
  const served = { ...quiet, path: odd, id: 'x', viewer: 'u1', traceparent: '00-a-b-01', stages, aborted: true }
  logRequest(served)
  logRequest(quiet)
  for (const line of lines) assert.match(line, /^[^\n]*\n$/)
  const [first, second] = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  const { time, ...rest } = first!
  assert.equal(time, '2026-11-15T09:07:03.042Z')
  assert.deepEqual(rest, {
    level: 'info',
    message: 'request',
    request_id: 'x',
    'http.request.method': 'GET',
    'url.path': odd,
    'http.response.status_code': 200,
    duration_ms: 1.23,
    'http.response.body.size': 7,
    'client.address': '127.0.0.1',
    'user.id': 'u1',
    traceparent: '00-a-b-01',
    stages: stages.toJSON(),
    aborted: true,
  })
  assert.deepEqual(Object.keys(second!).slice(-2), ['http.response.body.size', 'client.address'])
})

test('entries below the level are dropped; a failed request is an error', () => {
  const lines: string[] = []
  const write = (text: string) => lines.push(text)
  const log = leveled(jsonLog(write), { level: 'warn' })
  const logRequest = requestLog((one) => write(requestEntry(one)), { level: 'warn' })
  log.info({}, 'a')
  log.warn({}, 'b')
  logRequest(quiet)
  logRequest({ ...quiet, status: 503 })
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { level: string }).level),
    ['warn', 'error'],
  )
  leveled(jsonLog(write), { level: 'off' }).error({}, 'c')
  assert.equal(lines.length, 2)
})

const quiet: ServedRequest = {
  id: 'q',
  at: Date.UTC(2026, 10, 15, 9, 7, 3, 42),
  method: 'GET',
  path: '/posts',
  status: 200,
  milliseconds: 1.234,
  bytes: 7,
  address: '127.0.0.1',
  viewer: null,
  traceparent: null,
  stages: null,
  aborted: false,
}
