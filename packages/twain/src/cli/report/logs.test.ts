import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServedRequest } from '#http'
import type { LogSettings } from '../settings/log-settings.ts'
import { openLogs } from './logs.ts'
import type { Terminal } from './terminal.ts'

test('the tail leaves out the requests for the tail, and no other path that ends like it', async () => {
  const surface = { out() {}, err() {}, colours: { out: false, err: false } } as unknown as Terminal
  for (const production of [true, false]) {
    const settings = { level: 'info', requests: true, sample: 1 } as unknown as LogSettings
    const logs = openLogs(production, settings, surface, '/api')
    for (const path of ['/api/metrics/log', '/x/metrics/log', '/metrics/log', '/api/posts']) {
      const served = {
        id: 'a',
        at: 0,
        method: 'GET',
        path,
        status: 200,
        milliseconds: 1,
        bytes: 1,
        address: '',
        stages: null,
      }
      logs.onServed!(served as unknown as ServedRequest)
    }
    const { entries } = logs.history.tail({ level: 'info', words: [], first: 10, after: null })
    const paths = entries.map(({ fields }) => fields['url.path'])
    assert.deepEqual(paths, ['/x/metrics/log', '/metrics/log', '/api/posts'])
    await logs.close()
  }
})
