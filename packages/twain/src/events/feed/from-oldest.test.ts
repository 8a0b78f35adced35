import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiError } from '#base'
import { anonymous } from '#base/http'
import { fakeEngine } from '#fake-engine'
import { loadModel } from '#model'
import type { ChangeLog, ChangeRecord, LogPoint } from '#store'
import { createEvents, type Events } from '../events.ts'
import { Cursors } from './cursor.ts'
import type { Interests } from './interest.ts'

const model = loadModel('type Note { id: ID! }', 'notes.graphql')
const [note] = model.resources

test('pruning that passes the oldest point while it is read makes a reader without a cursor read again', async () => {
  const log = prunedLog([{ after: 'bounds', upTo: 3 }])
  assert.deepEqual(await firstPage(log), ['4', '5'])
})

test('so does pruning of the whole log: the page is empty, and its cursor is valid', async () => {
  const log = prunedLog([{ after: 'bounds', upTo: 5 }])
  const events = eventsOf(log)
  const page = await events.fromOldest((oldest) => events.page(interests, anonymous, oldest, 20))
  assert.deepEqual([page.events, page.point.position], [[], 5])
  await events.expectStored(page.point)
})

test('pruning in the middle of a page ends the page with what was found; the next page is gone', async () => {
  const log = prunedLog([{ after: 'read', upTo: 4 }], { batch: 2 })
  const events = eventsOf(log)
  const page = await events.fromOldest((oldest) => events.page(interests, anonymous, oldest, 20))
  assert.deepEqual([page.events.map(({ text }) => text), page.hasNextPage], [['1', '2'], true])
  await assert.rejects(events.page(interests, anonymous, page.point, 20), { code: 'GONE' })
})

test('a log that is pruned during every attempt is unavailable, never gone', async () => {
  const log = prunedLog([1, 2, 3, 4, 5].map((upTo) => ({ after: 'bounds', upTo }) as const))
  await assert.rejects(firstPage(log), ({ code, headers }: ApiError) => {
    assert.deepEqual([code, headers['retry-after']], ['UNAVAILABLE', '1'])
    return true
  })
})

test('other errors are not retried', async () => {
  const events = eventsOf(prunedLog([]))
  let calls = 0
  const fails = () => {
    calls++
    return Promise.reject(new Error('broken'))
  }
  await assert.rejects(events.fromOldest(fails), /broken/)
  assert.equal(calls, 1)
})

async function firstPage(log: ChangeLog): Promise<string[]> {
  const events = eventsOf(log)
  const page = await events.fromOldest((oldest) => events.page(interests, anonymous, oldest, 20))
  return page.events.map(({ text }) => text)
}

/** Shows each change by its position. */
const interests = new Map([
  [
    note!,
    {
      subscription: { project: async (some: ChangeRecord[]) => some.map(() => [{ kind: 'created' }]) },
      kinds: new Set(['created']),
      format: ({ change }: { change: ChangeRecord }) => String(change.position),
    },
  ],
]) as unknown as Interests

function eventsOf(changes: ChangeLog): Events {
  return createEvents({
    engine: fakeEngine({ model, onExecute() {} }),
    store: { changes, clock: {} as never, projector: {} as never },
    cursors: new Cursors(changes, 'secret'),
    settings: { retentionSeconds: 0, heartbeatSeconds: 15 },
    log: { info() {}, warn() {}, error() {} },
  })
}

interface Pruning {
  /** It happens right after a call of this method. */
  after: 'bounds' | 'read'
  upTo: number
}

/** A log with five changes, and another one for each pruning, which happen one by one. */
function prunedLog(prunings: readonly Pruning[], { batch = 500 } = {}): ChangeLog {
  const count = Math.max(5, ...prunings.map(({ upTo }) => upTo + (prunings.length > 1 ? 1 : 0)))
  let stored = Array.from({ length: count }, (_, at) => ({ epoch: 'a', position: at + 1, resource: 'Note' }))
  const waiting = [...prunings]
  const point = (position: number): LogPoint => ({ epoch: 'a', position })
  const prune = (method: Pruning['after']) => {
    if (waiting[0]?.after !== method) return
    const { upTo } = waiting.shift()!
    stored = stored.filter(({ position }) => position > upTo)
  }
  return {
    log: '0'.repeat(32),
    newestEpoch: 'a',
    point,
    watch: () => () => {},
    readAt: async () => [],
    prune: async () => 0,
    async read({ position }: LogPoint, limit: number) {
      const found = stored.filter((change) => change.position > position).slice(0, Math.min(limit, batch))
      prune('read')
      return found as unknown as ChangeRecord[]
    },
    async bounds() {
      const bounds = { start: point((stored[0]?.position ?? count + 1) - 1), end: point(count) }
      prune('bounds')
      return bounds
    },
  }
}
