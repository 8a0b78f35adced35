import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { ApiError } from '#base'
import { defaultLimits } from '#plan'
import { openStore } from '../../databases.ts'
import { faultOf, openTestStore, silent, type TestStore, type Written } from '../../store.fixture.ts'
import { DatabaseProxy, type Fate } from '../database-proxy.fixture.ts'

const committed = Buffer.from('COMMIT\0')

describe('a connection that is cut', () => {
  let straight: TestStore
  let store: TestStore
  let proxy: DatabaseProxy
  before(async () => {
    straight = await openTestStore('type Note @allow { id: ID! n: Int }', { on: 'postgres' })
    proxy = await DatabaseProxy.before(straight.place.database!)
    const { model, place } = straight
    const rest = { poolSize: 8, model, sdl: 'type Note @allow { id: ID! n: Int }', limits: defaultLimits, log: silent }
    store = straight.over(await openStore({ ...place, database: proxy.address, ...rest }))
    await store.create('Note', { n: -1 })
  })
  beforeEach(() => {
    proxy.deciders = { store: () => 'pass', database: () => 'pass' }
  })
  after(async () => {
    await store.store.close()
    await proxy.close()
    await straight.close()
  })

  const rowsOf = async (n: number) =>
    (await straight.query('SELECT id, n, _version FROM "Note" WHERE n = ?1', n)).length

  /** The next answer that says so is not heard. */
  function loseCommit(): () => boolean {
    let isLost = false
    proxy.deciders.database = (bytes): Fate => {
      if (isLost || !bytes.includes(committed)) return 'pass'
      isLost = true
      return bytes.indexOf(committed) - 5 // the head of its message; what was said before is heard
    }
    return () => isLost
  }

  test('when COMMIT was made and not told: the write is told as made, and is made once', async () => {
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

  /** The row that was written is not heard, and neither are the next `failures` attempts to read it back. */
  async function loseRow(failures: number): Promise<() => number> {
    proxy.deciders.store = () => 'pass'
    await store.create('Note', { n: -1 }) // the connection knows the statements now: the next write is one round trip
    let stage: 'id' | 'row' | 'status' | 'change' | 'read' = 'id'
    let left = failures
    proxy.deciders.store = () => (stage === 'read' && left-- > 0 ? 0 : 'pass')
    proxy.deciders.database = (bytes): Fate => {
      if (stage === 'id' || stage === 'row') {
        const at = stage === 'row' ? 0 : bytes.indexOf('INSERT')
        if (at < 0) return 'pass'
        const isCommitted = bytes.includes(committed)
        stage = isCommitted ? 'status' : 'row'
        return isCommitted ? at : { first: at }
      }
      if (stage === 'status' && bytes.includes('committed')) stage = 'change'
      else if (stage === 'change' && bytes.includes('SELECT 1\0')) stage = 'read'
      return 'pass'
    }
    return () => failures - Math.max(left, 0)
  }

  test('when the database goes away between COMMIT and the reading back: the write is reported as made', async () => {
    for (let n = 7000; n < 7010; n++) {
      const failures = await loseRow(2)
      assert.equal((await store.create('Note', { n })).row.n, n)
      assert.deepEqual([failures(), await rowsOf(n)], [2, 1])
    }
  })

  test('when the row can not be read back at all: the error says that the write was made', async () => {
    await loseRow(Number.POSITIVE_INFINITY)
    const error = await faultOf(store.create('Note', { n: 7100 }))
    assert.deepEqual([error.code, error.headers['retry-after']], ['UNAVAILABLE', '1'])
    assert.match(error.message, /^The write was made/)
    assert.equal(await rowsOf(7100), 1)
  })

  test('when COMMIT did not arrive: the write is made once more, and once only', async () => {
    const { id } = await store.create('Note', { n: 0 })
    for (let n = 2000; n < 2020; n++) {
      let isCut = false
      proxy.deciders.store = (bytes): Fate => {
        if (isCut || !bytes.includes(String(n))) return 'pass'
        isCut = true
        return 0
      }
      assert.equal((await store.update('Note', id, { n })).version, n - 1998)
      assert.ok(isCut)
    }
  })

  test('anywhere, at random: what is told is so, and what is not known is said to be', async () => {
    let [told, doubtful] = [0, 0]
    for (let round = 0; round < 60; round++) {
      let left = Math.floor(Math.random() * 30)
      const judge = ({ length }: Buffer): Fate => (left-- === 0 ? Math.floor(Math.random() * (length + 1)) : 'pass')
      proxy.deciders = { store: judge, database: judge }
      const numbers = Array.from({ length: 5 }, (_, index) => 10_000 + round * 5 + index)
      const ends = await Promise.allSettled(numbers.map((n) => store.create('Note', { n })))
      for (const [index, end] of ends.entries()) {
        const rows = await rowsOf(numbers[index]!)
        if (end.status === 'fulfilled') {
          assert.equal(rows, 1)
          assert.equal((end.value as Written).row.n, numbers[index])
          told++
          continue
        }
        assert.ok(end.reason instanceof ApiError, String(end.reason.stack))
        assert.equal(end.reason.code, 'UNAVAILABLE')
        if (/not known/.test(end.reason.message)) {
          assert.ok(rows <= 1)
          doubtful++
        } else assert.equal(rows, 0, end.reason.message)
      }
    }
    assert.ok(told > 200, `${told} told, ${doubtful} not known`)
  })

  test('with nobody left to ask: it is said that it is not known', async () => {
    proxy.deciders.database = (bytes): Fate => {
      if (!bytes.includes(committed)) return 'pass'
      proxy.cut()
      return 0
    }
    const fault = await faultOf(store.create('Note', { n: 5000 }))
    assert.deepEqual([fault.code, fault.headers['retry-after']], ['UNAVAILABLE', '1'])
    assert.match(fault.message, /whether the write was made is not known/)
    assert.equal(await rowsOf(5000), 1)
    await proxy.mend()
  })
})
