import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodeClock, CodeRun, transactionTime } from './code-clock.ts'

/** A clock of a thousand seconds, so that its timer never acts; the time of the test is what it says. */
function open(limitMs = 1_000_000) {
  const at = { now: 0, rows: 0 }
  const clock = new CodeClock(
    transactionTime(limitMs, () => at.rows),
    () => at.now,
  )
  const pass = (milliseconds: number) => {
    at.now += milliseconds
  }
  const call = (run: CodeRun, milliseconds: number) => run.call(async () => pass(milliseconds))
  return { at, clock, pass, call }
}

test('code that waits for its context has all the time', async () => {
  const { clock, pass, call } = open()
  const run = new CodeRun(clock)
  const work = run.run(async () => {
    for (let count = 0; count < 10; count++) {
      pass(90_000)
      await call(run, 5_000_000)
    }
  })
  await clock.watch(work)
})

test("the code's own time is bounded, and that before the first call is not counted", async () => {
  const { clock, pass, call } = open()
  const run = new CodeRun(clock)
  const work = run.run(async () => {
    pass(5_000_000)
    await call(run, 1)
    pass(600_000)
    await call(run, 1)
    pass(600_000)
    await call(run, 1)
    pass(600_000)
  })
  await assert.rejects(clock.watch(work), /custom code of the write took longer than 1000 s/)
})

test('code that another call runs counts, and the code that waits for it does not', async () => {
  const { clock, pass } = open()
  const [outer, inner] = [new CodeRun(clock), new CodeRun(clock)]
  const nested = (milliseconds: number) =>
    outer.run(() =>
      outer.call(async () => {
        pass(5_000_000)
        await inner.run(async () => pass(milliseconds))
      }),
    )
  await clock.watch(nested(900_000))
  const late = open()
  const run = new CodeRun(late.clock)
  const work = run.run(async () => {
    await run.call(() => new CodeRun(late.clock).run(async () => late.pass(1_100_000)))
    await run.call(async () => {})
  })
  await assert.rejects(late.clock.watch(work), /custom code/)
})

test('code that has ended is not too late, whatever it took', async () => {
  const { clock, pass } = open()
  clock.begin()
  await clock.watch(new CodeRun(clock).run(async () => pass(2_000_000)))
})

test('each row adds to the time', async () => {
  const { at, clock, pass, call } = open()
  const run = new CodeRun(clock)
  const work = run.run(async () => {
    await call(run, 1)
    at.rows = 10_000
    pass(1_090_000)
    await call(run, 1)
  })
  await clock.watch(work)
})

test('what a call waits is bounded too, and counts apart', async () => {
  const ended: string[] = []
  const late = (what: string) => {
    ended.push(what)
    return new Error(`too late: ${what}`)
  }
  const clock = new CodeClock({ codeMs: () => 1000, waitMs: 50, late })
  clock.begin()
  const run = new CodeRun(clock)
  const work = run.run(() => run.call(() => new Promise<void>((resolve) => setTimeout(resolve, 10_000).unref())))
  await assert.rejects(clock.watch(work), /too late: wait/)
  assert.deepEqual(ended, ['wait'])
})
