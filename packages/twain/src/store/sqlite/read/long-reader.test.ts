import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { silent } from '../../store.fixture.ts'
import { openWriteConnection } from '../connect/connect.ts'
import { LongReader } from './long-reader.ts'

/** Counts to a number, so slowly that it never ends within a test. */
const endless = 'WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c WHERE n < 0'

describe('the long reader', () => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-reader-'))
  const file = join(folder, 'twain.db')
  before(() => openWriteConnection(file).close())
  after(() => rmSync(folder, { recursive: true }))

  test('returns the row of a statement with parameters', async () => {
    const reader = new LongReader(file, 60_000, silent)
    assert.deepEqual(await reader.read('SELECT ?1, ?2 + 1', ['a', 2]), ['a', 3])
    assert.equal(await reader.read('SELECT 1 WHERE 0', []), null)
    reader.close()
  })

  test('stops a read at the timeout, and runs the next', async () => {
    const warnings: string[] = []
    const reader = new LongReader(file, 3000, { ...silent, warn: (_, message) => warnings.push(message) })
    const started = performance.now()
    await assert.rejects(reader.read(endless, []), {
      code: 'UNAVAILABLE',
      message: 'The read took longer than 3 s and was stopped.',
      headers: { 'retry-after': '5' },
    })
    assert.ok(performance.now() - started < 30_000)
    assert.deepEqual(warnings, ['query timed out'])
    assert.deepEqual(await readSoon(reader, 'SELECT 2'), [2])
    reader.close()
  })

  test('counts the time that a read waits towards its timeout', async () => {
    const reader = new LongReader(file, 600, silent)
    const reads = [endless, endless, 'SELECT 1', 'SELECT 2', 'SELECT 3'].map((sql) => reader.read(sql, []))
    const results = await Promise.allSettled(reads)
    assert.ok(results.every((result) => result.status === 'rejected' && result.reason.code === 'UNAVAILABLE'))
    reader.close()
  })

  test('reports the error of SQLite for a wrong statement, and runs the next', async () => {
    const reader = new LongReader(file, 60_000, silent)
    await assert.rejects(reader.read('SELECT * FROM nowhere', []), { message: 'no such table: nowhere' })
    assert.deepEqual(await reader.read('SELECT 1', []), [1])
    reader.close()
  })

  test('adds exactly, and reports a sum beyond a double as an error of the request', async () => {
    const reader = new LongReader(file, 60_000, silent)
    const sum = (values: string) =>
      reader.read(`SELECT json(twain_double(twain_sum(value))) FROM json_each('${values}')`, [])
    assert.deepEqual(await sum('[0.1, 0.2]'), ['0.3'])
    await assert.rejects(
      sum('[1.7e308, 1.7e308]'),
      ({ status, problems }) => status === 400 && problems[0].code === 'RANGE',
    )
    assert.deepEqual(await sum('[]'), [null])
    reader.close()
  })

  test('replaces a process that dies, readerPid or idle', async () => {
    const reader = new LongReader(file, 60_000, silent)
    const children: ChildProcess[] = []
    const started = (message: unknown) => children.push((message as { process: ChildProcess }).process)
    const killAll = () => {
      for (const child of children) child.kill('SIGKILL')
    }
    subscribe('child_process', started)
    await reader.read('SELECT 1', [])
    const ended = Promise.all(children.map((child) => once(child, 'exit')))
    killAll()
    await ended
    assert.deepEqual(await reader.read('SELECT 2', []), [2])
    const cut = reader.read(endless, [])
    setTimeout(killAll, 100)
    await assert.rejects(cut, { code: 'UNAVAILABLE', message: 'The read was cut off.' })
    assert.deepEqual(await reader.read('SELECT 3', []), [3])
    unsubscribe('child_process', started)
    reader.close()
  })

  test('reads that wait a short time share one process', async () => {
    const children = countChildren()
    const reader = new LongReader(file, 60_000, silent, { runningMs: 50_000, startingMs: 50_000 })
    const reads = Array.from({ length: 20 }, (_, index) => reader.read('SELECT ?1', [index]))
    const rows = await Promise.all(reads).finally(() => reader.close())
    assert.deepEqual(
      rows,
      reads.map((_, index) => [index]),
    )
    assert.equal(children.stop(), 1)
  })

  test('a read that waits longer gets a second process', async () => {
    const children = countChildren()
    const reader = new LongReader(file, 60_000, silent, { runningMs: 1, startingMs: 50_000 })
    const cut = assert.rejects(reader.read(endless, []), { code: 'UNAVAILABLE' })
    assert.deepEqual(await reader.read('SELECT 2', [], 'other').finally(() => reader.close()), [2])
    await cut
    assert.equal(children.stop(), 2)
  })

  test('a process that hangs before it is ready does not keep the second one from starting', {
    timeout: 60_000,
  }, async (t) => {
    const started: ChildProcess[] = []
    const add = (message: unknown) => started.push((message as { process: ChildProcess }).process)
    subscribe('child_process', add)
    t.after(() => unsubscribe('child_process', add))
    const reader = new LongReader(file, 0, silent, { startingMs: 1 })
    t.after(() => reader.close())
    const cut = assert.rejects(reader.read(endless, []), { code: 'UNAVAILABLE' })
    started[0]!.kill('SIGSTOP')
    assert.deepEqual(await reader.read('SELECT 2', [], 'other'), [2])
    reader.close()
    await cut
    assert.equal(started.length, 2)
  })

  test('refuses a read at once if 32 others of its client wait', async () => {
    const reader = new LongReader(file, 0, silent)
    const reads = Array.from({ length: 33 }, () => reader.read(endless, []))
    await assert.rejects(reader.read('SELECT 1', []), {
      code: 'UNAVAILABLE',
      message: 'Too many long reads wait already.',
      headers: { 'retry-after': '5' },
    })
    assert.deepEqual(await reader.read('SELECT 1', [], 'other'), [1])
    reader.close()
    for (const { status } of await Promise.allSettled(reads)) assert.equal(status, 'rejected')
  })

  test('one client holds one process, and those who wait take turns', async () => {
    const reader = new LongReader(file, 0, silent, { runningMs: 1, startingMs: 1 })
    const flood = Array.from({ length: 10 }, () => reader.read(endless, [], 'ann'))
    const order: string[] = []
    const read = async (client: string) => {
      await reader.read('SELECT 1', [], client)
      order.push(client)
    }
    await Promise.all([read('bob'), read('bob'), read('bob'), read('eve'), read('')])
    assert.deepEqual(order, ['bob', 'bob', 'eve', '', 'bob'])
    reader.close()
    for (const { status } of await Promise.allSettled(flood)) assert.equal(status, 'rejected')
  })

  test('a killed server ends its reader processes, also during a read', async () => {
    writeFileSync(join(folder, 'server.mjs'), serverCode)
    const server = spawn(process.execPath, [join(folder, 'server.mjs'), file], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [output] = await once(server.stdout, 'data')
    const readerPid = Number(String(output))
    await new Promise((resolve) => setTimeout(resolve, 1500)) // it has begun to read
    assert.ok(isAlive(readerPid))
    server.kill('SIGKILL')
    const killed = performance.now()
    while (isAlive(readerPid) && performance.now() - killed < 30_000) await new Promise((done) => setTimeout(done, 50))
    const left = isAlive(readerPid)
    if (left) process.kill(readerPid, 'SIGKILL')
    assert.equal(left, false)
  })

  test('a pause lets short reads end, stops long ones, and begins those again when it is over', async () => {
    const reader = new LongReader(file, 60_000, silent)
    const short = reader.read('SELECT 1', [])
    await reader.pause(60_000)
    assert.deepEqual(await short, [1])
    const waiting = reader.read('SELECT 2', [])
    reader.resume()
    assert.deepEqual(await waiting, [2])

    const cut = assert.rejects(reader.read(endless, []), { message: 'The read was cut off.' })
    await reader.pause(1) // resolves, because it stops the read
    openWriteConnection(file).close() // nobody reads
    const last = reader.read('SELECT 3', [], 'other')
    reader.resume()
    assert.deepEqual(await last, [3]) // on the second process: the first one runs the endless read again
    await reader.close()
    await cut
  })

  test('closing fails the running and the waiting reads', async () => {
    const reader = new LongReader(file, 60_000, silent)
    const reads = [endless, endless, 'SELECT 1'].map((sql) => reader.read(sql, []))
    setTimeout(() => reader.close(), 50)
    for (const result of await Promise.allSettled(reads)) assert.equal(result.status, 'rejected')
    await assert.rejects(reader.read('SELECT 1', []), { code: 'UNAVAILABLE' })
  })
})

/** Counts the processes that start from now on. */
function countChildren(): { stop: () => number } {
  let count = 0
  const started = () => count++
  subscribe('child_process', started)
  return {
    stop: () => {
      unsubscribe('child_process', started)
      return count
    },
  }
}

/** On a busy machine the start of the next process alone can take longer than the timeout. */
async function readSoon(reader: LongReader, sql: string): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await reader.read(sql, [])
    } catch (error) {
      if ((error as { code?: string }).code !== 'UNAVAILABLE' || attempt === 10) throw error
    }
  }
}

/** A server with an endless read; it prints the id of the reader process. */
const serverCode = `
  import { subscribe } from 'node:diagnostics_channel'
  import { LongReader } from ${JSON.stringify(new URL('./long-reader.ts', import.meta.url).href)}
  subscribe('child_process', ({ process: child }) => setImmediate(() => console.log(child.pid)))
  new LongReader(process.argv[2], 0, {}).read(${JSON.stringify(endless)}, [])`

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
