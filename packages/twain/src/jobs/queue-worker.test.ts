import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JobStore } from '#store'
import { QueueWorker } from './queue-worker.ts'

test('a renewal that meets a job whose outcome is being saved is no incident', async () => {
  const logged: string[] = []
  const log = { info() {}, warn: (_: unknown, text: string) => void logged.push(text), error() {} }
  const saving = Promise.withResolvers<boolean>()
  const renewed = Promise.withResolvers<void>()
  let isDue = true
  let renewals = 0
  const store = {
    watch: () => () => {},
    nextDue: async () => (isDue ? [['mail', 0]] : []),
    finish: () => saving.promise,
    release: async () => {},
    async renew() {
      if (++renewals > 1) renewed.resolve()
      return new Set<string>() // the statement of `finish` has ended the lease
    },
  } as unknown as JobStore
  const signals: AbortSignal[] = []
  const worker = new QueueWorker({
    kind: 'code',
    store,
    leaseMs: 60,
    log: log as never,
    concurrency: 1,
    capacity: () => new Map([['mail', 1]]),
    async claim() {
      isDue = false
      return [{ id: 'j1', name: 'mail' }] as never
    },
    run: (_, jobs) => {
      signals.push(...jobs.map(({ signal }) => signal))
      return jobs.map(async () => ({ state: 'succeeded', attempts: [] }) as never)
    },
  })
  worker.wake()
  await renewed.promise
  saving.resolve(true)
  await worker.stop(1000, 1000)
  assert.deepEqual(logged, [])
  assert.equal(signals[0]!.aborted, false)
})
