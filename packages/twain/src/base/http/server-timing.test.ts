import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServerTiming } from './server-timing.ts'

test('stages are reported in their order, each once with its total, and then the total of the request', () => {
  const stages = new ServerTiming()
  for (const stage of ['parse', 'execute', 'parse', 'execute', 'format']) stages.mark(stage)
  assert.match(stages.toHeader(), /^parse;dur=[\d.]+, execute;dur=[\d.]+, format;dur=[\d.]+, total;dur=[\d.]+$/)
  const times = stages.toJSON()
  assert.deepEqual(Object.keys(times), ['parse', 'execute', 'format'])
  const [, total] = /total;dur=(.*)$/.exec(stages.toHeader()) ?? []
  const sum = Object.values(times).reduce((all, one) => all + one, 0)
  assert.ok(sum <= Number(total) + 0.01, `${sum} of ${total}`)
})
