import assert from 'node:assert/strict'
import { test } from 'node:test'
import { humanLog, jsonLog } from './log.ts'
import { createPaint } from './paint.ts'

test('a line for machines is one line of JSON', () => {
  const lines: string[] = []
  jsonLog(
    (text) => lines.push(text),
    () => new Date(0),
  ).error({ id: 'a', error: 'x\ny' }, 'failed')
  assert.deepEqual(lines, [
    '{"time":"1970-01-01T00:00:00.000Z","level":"error","message":"failed","id":"a","error":"x\\ny"}\n',
  ])
})

test('a line for people is short, and a stack stands below it', () => {
  const lines: string[] = []
  const log = humanLog((text) => lines.push(text), createPaint(false))
  log.info({}, 'hello')
  log.warn({ rows: 3 }, 'slow')
  log.error({ id: 'a', error: 'Error: x\n    at y' }, 'failed')
  assert.deepEqual(lines, ['hello\n', 'warning slow rows=3\n', 'error failed id=a\n  Error: x\n      at y\n'])
})
