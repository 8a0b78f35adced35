import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiError } from '#base'
import { anonymous } from '#base/http'
import { sleep } from '#base/time'
import type { CodeEngine, LimitedCall } from '#engine'
import { runInTime } from './call-time.ts'

const never = () => new Promise<never>(() => {})

/** An engine whose transaction is committed by `commit`. */
function fakeEngine(commit: () => Promise<void>, inside?: Partial<CodeEngine>): CodeEngine {
  const transaction = async <T>(_: unknown, work: (engine: CodeEngine) => Promise<T>, call?: LimitedCall) => {
    const made = await work({ isInTransaction: true, ...inside } as CodeEngine)
    call?.signal.throwIfAborted()
    call?.committing()
    await commit()
    return made
  }
  return { isInTransaction: false, enqueue: async () => 'job', transaction } as never
}

/** The sentence, the hint and Retry-After of a call that is given up. */
async function lateAnswer(
  engine: CodeEngine,
  code: (engine: CodeEngine) => Promise<unknown>,
  limits = { codeSeconds: 0.3, timeSeconds: 0.1 },
) {
  const error = await runInTime('Mutation.run', limits, (_signal, timed) => code(timed(engine))).catch(
    (caught) => caught,
  )
  assert.ok(error instanceof ApiError)
  return [error.message, error.hint !== undefined, error.headers['retry-after']]
}

describe('a call that is given up', () => {
  const done = async () => {}

  test('has written nothing, if it has committed nothing', async () => {
    const slow = (engine: CodeEngine) => engine.transaction(anonymous, never)
    assert.deepEqual(await lateAnswer(fakeEngine(done), never), [
      'Mutation.run did not finish within 0.3 s.',
      false,
      '0.3',
    ])
    assert.deepEqual(await lateAnswer(fakeEngine(done), slow), [
      'Mutation.run did not finish within 0.3 s.',
      false,
      '0.3',
    ])
  })

  test('says that it has written before, and invites no second call', async () => {
    const writes = async (engine: CodeEngine) => {
      await engine.transaction(anonymous, done)
      await never()
    }
    assert.deepEqual(await lateAnswer(fakeEngine(done), writes), [
      'Mutation.run did not finish within 0.3 s; what it had written before is kept.',
      false,
      undefined,
    ])
  })

  test('says that a commit, or a write, that was sent may be made', async () => {
    const sentence =
      'Mutation.run waited longer than 0.1 s for the database or for other writes; whether its last write was made is not known.'
    const commits = (engine: CodeEngine) => engine.transaction(anonymous, done)
    const writes = (engine: CodeEngine) => engine.enqueue({} as never)
    assert.deepEqual(await lateAnswer(fakeEngine(never), commits), [sentence, true, undefined])
    const engine = { ...fakeEngine(done), enqueue: never }
    assert.deepEqual(await lateAnswer(engine, writes), [sentence, true, undefined])
  })

  test('writes nothing more', async () => {
    let enqueued = 0
    let committed = 0
    const engine = fakeEngine(async () => void committed++)
    engine.enqueue = async () => String(++enqueued)
    const rest = Promise.withResolvers<void>()
    await lateAnswer(engine, async (timed) => {
      await sleep(350)
      for (const write of [() => timed.enqueue({} as never), () => timed.transaction(anonymous, done)])
        await assert.rejects(write(), { code: 'UNAVAILABLE' })
      rest.resolve()
    })
    await rest.promise
    assert.deepEqual([enqueued, committed], [0, 0])
  })
})

test('waiting for Twain, also inside a transaction, does not count as time of the code', async () => {
  const slow = { enqueue: async () => String(await sleep(600)) }
  const engine = Object.assign(
    fakeEngine(() => sleep(600), slow),
    slow,
  )
  const limits = { codeSeconds: 0.5, timeSeconds: 10 }
  await runInTime('Mutation.run', limits, async (_signal, timed) => {
    const own = timed(engine)
    await own.enqueue({} as never)
    await own.transaction(anonymous, (inside) => inside.enqueue({} as never))
  })
})
