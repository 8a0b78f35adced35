import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { LogWriter } from './log-writer.ts'

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString()

test('entries are buffered and written whole, in order, one write at a time', async () => {
  const written: string[] = []
  let under = 0
  const writer = new LogWriter((bytes, done) => {
    const text = textOf(bytes)
    assert.equal(under++, 0)
    setTimeout(() => {
      under--
      written.push(text)
      done()
    }, 5)
  }, String)
  for (let n = 0; n < 10; n++) writer.write(`${n}\n`)
  assert.deepEqual(written, [])
  while (written.length === 0) await sleep(5)
  assert.deepEqual(written, ['0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n'])

  writer.write('a\n')
  const ended = writer.end()
  writer.write('b\n')
  await ended
  assert.equal(written.slice(1).join(''), 'a\nb\n')
})

test('gathered entries are formatted later, in order, and soon even if there is only one', async () => {
  const written: string[] = []
  const formatted: number[] = []
  const spell = (entry: number) => {
    formatted.push(entry)
    return `${entry}\n`
  }
  const writer = new LogWriter((bytes, done) => {
    written.push(textOf(bytes))
    setTimeout(done, 5)
  }, spell)
  for (let n = 0; n < 10; n++) writer.gather(n)
  assert.deepEqual(formatted, [])
  writer.writeNow('now\n')
  writer.gather(10)
  while (written.length < 2) await sleep(5)
  for (let n = 11; n < 300; n++) writer.gather(n)
  assert.ok(formatted.length > 200)
  await writer.end()
  const expected = Array.from({ length: 300 }, (_, n) => `${n}\n`)
  expected.splice(10, 0, 'now\n')
  assert.equal(written.join(''), expected.join(''))
})

test('a slow write delays no later entry', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const written: string[] = []
  let release = () => {}
  const writer = new LogWriter<string>((bytes, done) => {
    written.push(textOf(bytes))
    release = done
  }, String)
  for (const entry of ['one\n', 'two\n', 'three\n']) {
    writer.gather(entry)
    t.mock.timers.tick(1000)
    assert.equal(written.at(-1), entry)
    t.mock.timers.tick(1000) // the duration of the write
    release()
  }
  await writer.end()
})

test('entries are dropped if nobody reads, and their number is logged', async () => {
  let release = () => {}
  const written: string[] = []
  const writer = new LogWriter((bytes, done) => {
    written.push(textOf(bytes))
    if (written.length === 1) release = done
    else done()
  }, String)
  const entry = `${'x'.repeat(99_999)}\n`
  for (let n = 0; n < 100; n++) writer.write(entry)
  assert.equal(written.length, 1, 'nothing waits for the reader')
  release()
  await writer.end()
  const all = written.join('')
  const writtenCount = all.split('\n').filter((one) => one.startsWith('x')).length
  const { entries } = JSON.parse(all.trimEnd().split('\n').at(-1)!) as { entries: number }
  assert.equal(writtenCount + entries, 100)
  assert.ok(writtenCount < 50)
})
