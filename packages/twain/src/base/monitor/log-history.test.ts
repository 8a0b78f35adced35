import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type LogFilter, LogHistory } from './log-history.ts'

const silent = { info() {}, warn() {}, error() {} }
const all: LogFilter = { level: 'info', words: [], first: 100, after: null }

function open() {
  const history = new LogHistory<{ path: string }>(({ path }) =>
    JSON.stringify({ time: '2026-01-01T00:00:00.000Z', level: 'info', message: 'request', 'url.path': path }),
  )
  return { history, log: history.keeping(silent) }
}

test('the tail has the newest entries, and then those after the cursor', () => {
  const { history, log } = open()
  for (const name of ['one', 'two', 'three']) log.info({ name }, `entry ${name}`)
  const newest = history.tail({ ...all, first: 2 })
  assert.deepEqual(
    newest.entries.map(({ message, fields }) => [message, fields]),
    [
      ['entry two', { name: 'two' }],
      ['entry three', { name: 'three' }],
    ],
  )
  assert.equal(newest.hasMore, true)
  assert.deepEqual(history.tail({ ...all, after: newest.endCursor }).entries, [])
  history.gather({ path: '/posts' })
  log.error({}, 'five')
  const first = history.tail({ ...all, first: 1, after: newest.endCursor })
  assert.deepEqual([first.entries[0]!.fields, first.hasMore], [{ 'url.path': '/posts' }, true])
  const second = history.tail({ ...all, after: first.endCursor })
  assert.deepEqual(
    second.entries.map(({ message }) => message),
    ['five'],
  )
  assert.equal(second.missed, false)
})

test('a level and words choose entries', () => {
  const { history, log } = open()
  log.info({ table: 'Post' }, 'first')
  log.warn({ table: 'Post' }, 'slow query')
  log.error({ table: 'User' }, 'slow query')
  const messages = (more: Partial<LogFilter>) =>
    history.tail({ ...all, ...more }).entries.map(({ level, message }) => `${level} ${message}`)
  assert.deepEqual(messages({ level: 'warn' }), ['warn slow query', 'error slow query'])
  assert.deepEqual(messages({ words: ['SLOW', 'post'] }), ['warn slow query'])
})

test('memory is bounded in entries and in their length, and a reader learns what it missed', () => {
  const { history, log } = open()
  const { endCursor } = history.tail(all)
  log.warn({ stack: 'x'.repeat(100_000), sql: 'y'.repeat(100_000) }, 'long')
  assert.ok(JSON.stringify(history.tail(all)).length < 8192)
  log.warn(Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, 'z'.repeat(999)])), 'many')
  assert.deepEqual(history.tail(all).entries.at(-1)!.fields, { cut: true })
  for (let index = 0; index < 1000; index++) log.info({}, `entry ${index}`)
  const tail = history.tail({ ...all, first: 200, after: endCursor })
  assert.deepEqual([tail.missed, tail.entries[0]!.message], [true, 'entry 0'])
  const other = open().history.tail({ ...all, after: endCursor })
  assert.equal(other.missed, true)
  assert.throws(() => history.tail({ ...all, after: 'nonsense' }), { code: 'VALIDATION_FAILED' })
})

test('a reader waits for an entry, or for the time', async () => {
  const { history, log } = open()
  await history.changed(1)
  const waiting = history.changed(60_000)
  log.info({}, 'now')
  await waiting
  const drained = history.changed(60_000)
  history.wake()
  await drained
})
