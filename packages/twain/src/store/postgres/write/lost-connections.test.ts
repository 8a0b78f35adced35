import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { ApiError } from '#base'
import { defaultLimits } from '#plan'
import { openStore } from '../../databases.ts'
import { apiErrorOf, openTestStore, silent, type TestStore, type Written } from '../../store.fixture.ts'
import { DatabaseProxy, type ProxyAction } from '../database-proxy.fixture.ts'

const committed = Buffer.from('COMMIT\0')
const selected = 'SELECT 1\0'

describe('a connection is lost', () => {
  let direct: TestStore
  let store: TestStore
  let proxy: DatabaseProxy
  before(async () => {
    direct = await openTestStore('type Note @allow { id: ID! n: Int }', { on: 'postgres' })
    proxy = await DatabaseProxy.open(direct.place.database!)
    const { model, place } = direct
    const rest = {
      poolSize: 8,
      model,
      sdl: 'type Note @allow { id: ID! n: Int }',
      limits: { ...defaultLimits, timeSeconds: 6 },
      log: silent,
    }
    store = direct.withStore(await openStore({ ...place, database: proxy.address, ...rest }))
    await store.create('Note', { n: -1 })
  })
  beforeEach(() => {
    proxy.choose = { store: () => 'pass', database: () => 'pass' }
  })
  after(async () => {
    await store.store.close()
    await proxy.close()
    await direct.close()
  })

  const rowsOf = async (n: number) => (await direct.query('SELECT id, n, _version FROM "Note" WHERE n = ?1', n)).length

  /** Drops the next confirmation of COMMIT. */
  function loseCommit(): () => boolean {
    let isLost = false
    proxy.choose.database = (bytes): ProxyAction => {
      if (isLost || !bytes.includes(committed)) return 'pass'
      isLost = true
      return bytes.indexOf(committed) - 5 // the head of its message; earlier messages arrive
    }
    return () => isLost
  }

  test('after COMMIT, before its confirmation: the write succeeds, and is made once', async () => {
    for (let n = 0; n < 40; n++) {
      const wasLost = loseCommit()
      const { id, row, version } = await store.create('Note', { n })
      assert.ok(wasLost())
      assert.deepEqual([row.n, version, await rowsOf(n)], [n, 1, 1])
      loseCommit()
      assert.equal((await store.update('Note', id, { n: n + 1000 }, { ifVersion: 1 })).version, 2)
      loseCommit()
      assert.equal(await store.delete('Note', id, 2), true)
      assert.equal(await store.one('Note', id), null)
    }
  })

  /** Drops the written row, and the next `failures` attempts to read it back. */
  async function loseRow(failures: number): Promise<() => number> {
    proxy.choose.store = () => 'pass'
    await store.create('Note', { n: -1 }) // the connection has prepared the statements now: the next write is one round trip
    let stage: 'id' | 'row' | 'status' | 'change' | 'read' = 'id'
    let left = failures
    proxy.choose.store = () => (stage === 'read' && left-- > 0 ? 0 : 'pass')
    proxy.choose.database = (bytes): ProxyAction => {
      if (stage === 'id' || stage === 'row') {
        if (stage === 'id' && !bytes.includes('"n":')) return 'pass'
        const at = stage === 'row' ? 0 : bytes.indexOf(selected, bytes.indexOf('BEGIN\0')) + selected.length // behind the id of the transaction
        const isCommitted = bytes.includes(committed)
        stage = isCommitted ? 'status' : 'row'
        return isCommitted ? at : { first: at }
      }
      if (stage === 'status' && bytes.includes('committed')) stage = 'change'
      else if (stage === 'change' && bytes.includes(selected)) stage = 'read'
      return 'pass'
    }
    return () => failures - Math.max(left, 0)
  }

  test('between COMMIT and reading back: the write succeeds', async () => {
    for (let n = 7000; n < 7010; n++) {
      const failures = await loseRow(2)
      assert.equal((await store.create('Note', { n })).row.n, n)
      assert.deepEqual([failures(), await rowsOf(n)], [2, 1])
    }
  })

  test('after COMMIT, and the row can’t be read back: the error states that the write was made', async () => {
    await loseRow(Number.POSITIVE_INFINITY)
    const error = await apiErrorOf(store.create('Note', { n: 7100 }))
    assert.deepEqual([error.code, error.headers['retry-after']], ['UNAVAILABLE', '1'])
    assert.match(error.message, /^The write was made/)
    assert.equal(await rowsOf(7100), 1)
  })

  test('before COMMIT: the write is repeated, and made once', async () => {
    const { id } = await store.create('Note', { n: 0 })
    for (let n = 2000; n < 2020; n++) {
      let isCut = false
      proxy.choose.store = (bytes): ProxyAction => {
        if (isCut || !bytes.includes(String(n))) return 'pass'
        isCut = true
        return 0
      }
      assert.equal((await store.update('Note', id, { n })).version, n - 1998)
      assert.ok(isCut)
    }
  })

  /** Cuts the connection of the create of `n`, whose statements are all prepared: one round trip. Either the server gets nothing, or
   *  the answer is lost, with the id of the transaction. */
  async function loseWholeWrite(n: number, isReceived: boolean): Promise<() => boolean> {
    proxy.choose = { store: () => 'pass', database: () => 'pass' }
    await store.create('Note', { n: -1 })
    let stage: 'before' | 'sent' | 'cut' = 'before'
    proxy.choose.store = (bytes): ProxyAction => {
      if (stage !== 'before' || !bytes.includes(String(n))) return 'pass'
      stage = isReceived ? 'sent' : 'cut'
      return isReceived ? 'pass' : 0
    }
    proxy.choose.database = (): ProxyAction => {
      if (stage !== 'sent') return 'pass'
      stage = 'cut'
      return 0
    }
    return () => stage === 'cut'
  }

  for (const isReceived of [false, true]) {
    test(`with a whole write that the server has ${isReceived ? '' : 'not '}received: it is made once`, async () => {
      for (let n = 0; n < 20; n++) {
        const number = n + (isReceived ? 8000 : 8100)
        const wasLost = await loseWholeWrite(number, isReceived)
        assert.equal((await store.create('Note', { n: number })).row.n, number)
        assert.ok(wasLost())
        assert.equal(await rowsOf(number), 1)
      }
    })
  }

  test('anywhere, at random: a reported outcome is true, and an unknown outcome is reported as unknown', async () => {
    let [reported, unknown] = [0, 0]
    for (let round = 0; round < 60; round++) {
      let left = Math.floor(Math.random() * 30)
      const cutAtRandom = ({ length }: Buffer): ProxyAction =>
        left-- === 0 ? Math.floor(Math.random() * (length + 1)) : 'pass'
      proxy.choose = { store: cutAtRandom, database: cutAtRandom }
      const numbers = Array.from({ length: 5 }, (_, index) => 10_000 + round * 5 + index)
      const outcomes = await Promise.allSettled(numbers.map((n) => store.create('Note', { n })))
      for (const [index, outcome] of outcomes.entries()) {
        const rows = await rowsOf(numbers[index]!)
        if (outcome.status === 'fulfilled') {
          assert.equal(rows, 1)
          assert.equal((outcome.value as Written).row.n, numbers[index])
          reported++
          continue
        }
        assert.ok(outcome.reason instanceof ApiError, String(outcome.reason.stack))
        assert.equal(outcome.reason.code, 'UNAVAILABLE')
        if (/not known/.test(outcome.reason.message)) {
          assert.ok(rows <= 1)
          unknown++
        } else assert.equal(rows, 0, outcome.reason.message)
      }
    }
    assert.ok(reported > 200, `${reported} reported, ${unknown} unknown`)
  })

  test('during COMMIT, and the database stays away: the outcome is reported as unknown', async () => {
    proxy.choose.database = (bytes): ProxyAction => {
      if (!bytes.includes(committed)) return 'pass'
      proxy.stop()
      return 0
    }
    const error = await apiErrorOf(store.create('Note', { n: 5000 }))
    assert.deepEqual([error.code, error.headers['retry-after']], ['UNAVAILABLE', '1'])
    assert.match(error.message, /whether the write was made is not known/)
    assert.equal(await rowsOf(5000), 1)
    await proxy.restart()
  })
})
