// A server that ends while it prunes the change log.
// stores: sqlite + postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeEngine } from '../../packages/twain/src/engine/fake-engine.fixture.ts'
import { createEvents } from '../../packages/twain/src/events/events.ts'
import { Cursors } from '../../packages/twain/src/events/feed/cursor.ts'
import { onEachStore, openTestStore } from '../../packages/twain/src/store/store.fixture.ts'
import { wallClock } from '../../packages/twain/src/store/store-clock.ts'

onEachStore('a server that ends while it prunes the change log', (on) => {
  test('leaves the rest of it, and logs nothing', async () => {
    const store = await openTestStore('type Note { id: ID! text: String }', { on })
    for (const text of ['a', 'b']) await store.create('Note', { text })
    const { changes, projector } = store.store
    const prune = changes.prune.bind(changes)
    const runs: Promise<number>[] = []
    changes.prune = (clock, _, signal) => {
      runs.push(prune(clock, -1e12, signal))
      return runs.at(-1)!
    }
    const logged: unknown[] = []
    const began = Promise.withResolvers<void>()
    let ending: Promise<void> | null = null
    const events = createEvents({
      engine: fakeEngine({ model: store.model, onExecute() {} }),
      store: {
        changes,
        projector,
        clock: {
          ...wallClock,
          /** Each run asks for the time in its middle. */
          earliest() {
            ending ??= events.close().then(() => store.close())
            began.resolve()
            return wallClock.earliest()
          },
        },
      },
      cursors: new Cursors(changes, 'secret'),
      settings: { retentionSeconds: 0.001, heartbeatSeconds: 15 },
      log: { info() {}, warn: (...entry) => logged.push(entry), error: (...entry) => logged.push(entry) },
    })
    await began.promise
    await ending
    await Promise.allSettled(runs)
    assert.deepEqual(logged, [])
  })
})
