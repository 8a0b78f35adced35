import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { loadModel } from '#model'
import type { ImportPosition } from '#store'
import { importTarget } from './columns.ts'
import type { ImportPortion } from './import-portion.ts'
import { type ImportService, PortionTooSlow, runImport } from './run-import.ts'

const model = loadModel('type Note { id: ID! n: Int! }', 'x.graphql')
const rows = Array.from({ length: 400 }, (_, n) => `{"n":${n}}`)
const file = `${rows.join('\n')}\n`

/** Stores what it is sent, and the place in the file with it. `fail` is called behind each portion. */
class FakeService implements ImportService {
  readonly written: number[] = []
  position: (ImportPosition & { time: string }) | null = null
  fail: (portion: ImportPortion) => void = () => {}
  /** What a write waits for. */
  until: Promise<void> = Promise.resolve()

  async find() {
    return this.position
  }

  async write(portion: ImportPortion) {
    const { step } = portion
    if (step === null) throw new Error('this is no dry run')
    assert.deepEqual(step.from.position, this.position?.position ?? 0)
    assert.equal(step.to.digest, hash('sha256', file.slice(0, step.to.position), 'hex'))
    if (portion.rows.length > 30) throw new PortionTooSlow('too slow')
    this.written.push(...portion.rows.map(({ input }) => input.n as number))
    this.position = { ...step.to, waiting: [], time: '' }
    await this.until
    this.fail(portion)
    return { written: portion.rows.length, failures: [], waiting: [] }
  }
}

test('an import that is killed behind any portion goes on, and writes nothing twice', async () => {
  const service = new FakeService()
  let kills = 0
  service.fail = () => {
    if (kills++ < 5) throw new Error('killed')
  }
  for (let run = 0; run < 5; run++) await assert.rejects(imported(service), { message: 'killed' })
  const { kind, earlier } = await imported(service)
  assert.equal(kind, 'done')
  assert.ok(earlier !== null && earlier.rows > 0)
  assert.deepEqual(
    service.written,
    rows.map((_, n) => n),
  )
  assert.equal((await imported(service)).rows, 0)
})

test('a portion that takes too long is sent in parts', async () => {
  const service = new FakeService()
  const { rows: written } = await imported(service)
  assert.equal(written, rows.length)
  assert.equal(new Set(service.written).size, rows.length)
})

test('a stop signal ends behind a portion, which counts', async () => {
  const service = new FakeService()
  const stop = new AbortController()
  service.fail = () => stop.abort()
  const { kind, rows: written } = await imported(service, stop.signal)
  assert.equal(kind, 'stopped')
  assert.equal(written, service.written.length)
  assert.equal(service.position?.rows, written)
})

test('the next portion is read while the service writes', { timeout: 20_000 }, async () => {
  const service = new FakeService()
  const { promise, resolve } = Promise.withResolvers<void>()
  service.until = promise
  const { rows: written } = await imported(service, undefined, (at) => at >= 600 && resolve())
  assert.equal(written, rows.length)
})

test('a file that is broken behind a portion ends the import behind this portion', async () => {
  const service = new FakeService()
  const reading = imported(service, undefined, (at) => {
    if (at > 700) throw new Error('the disk failed')
  })
  await assert.rejects(reading, { message: 'the disk failed' })
  assert.ok(service.written.length > 0)
  assert.equal(service.position?.rows, service.written.length)
})

function imported(service: ImportService, stop = new AbortController().signal, onRead = (_at: number) => {}) {
  async function* open() {
    for (let at = 0; at < file.length; at += 100) {
      onRead(at)
      yield Buffer.from(file.slice(at, at + 100))
    }
  }
  return runImport(service, {
    name: 'Note notes.ndjson',
    format: 'ndjson',
    target: importTarget(model, 'Note', false)!,
    map: new Map(),
    isDryRun: false,
    open,
    onFailure: (failure) => assert.fail(JSON.stringify(failure)),
    onProgress() {},
    stop,
  })
}
