import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { ApiError } from '#base'
import { guardProcess } from './process-guard.ts'

function open(hasCode = true) {
  const logged: [fields: Record<string, unknown>, message: string][] = []
  const ended: (number | 'crash')[] = []
  const process = Object.assign(new EventEmitter(), {
    exitCode: undefined as number | undefined,
    exit: (): never => {
      throw new Error('the real exit')
    },
  })
  const note = (fields: object, message: string) => void logged.push([{ ...fields }, message])
  const end = guardProcess(process as never, {
    folder: '/srv/shop',
    hasCode: () => hasCode,
    log: { info: note, warn: note, error: note },
    exit: (code) => void ended.push(code),
    crash: () => void ended.push('crash'),
  })
  const fail = (stack: string) => process.emit('uncaughtException', Object.assign(new Error('failed'), { stack }))
  const raise = (error: unknown) => process.emit('uncaughtException', error)
  return { process, logged, ended, end, fail, raise }
}

test('an error of custom code is logged with its place, and one of the server ends the process', () => {
  const { logged, ended, fail } = open()
  const ours = new URL('../serve.ts', import.meta.url).href
  fail(`Error: failed\n    at send (${ours}:1:2)\n    at hook (file:///srv/shop/twain.config.ts?saved=1:7:9)`)
  fail('Error: failed\n    at TCP.onread (node:internal/stream_base_commons:191:23)')
  assert.deepEqual(
    logged.map(([{ place }, message]) => [place, message]),
    [
      ['twain.config.ts:7:9', 'custom code failed outside of a call; the server goes on'],
      [undefined, 'custom code failed outside of a call; the server goes on'],
    ],
  )
  assert.deepEqual(ended, [])
  fail(`Error: failed\n    at send (${ours}:1:2)`)
  assert.deepEqual(ended, ['crash'])
})

test('without custom code, an error that names no code is the server’s', () => {
  const { ended, fail } = open(false)
  fail('Error: read ECONNRESET\n    at TCP.onStreamRead (node:internal/stream_base_commons:216:20)')
  assert.deepEqual(ended, ['crash'])
})

test('an ApiError never ends the process', () => {
  for (const hasCode of [true, false]) {
    const { ended, logged, raise } = open(hasCode)
    raise(new ApiError('CONFLICT', 'It is taken.')) // with a stack of Twain alone
    assert.deepEqual([ended.length, logged.length], [0, 1])
  }
})

test('whatever is thrown, the guard does not throw', () => {
  const { ended, logged, raise, fail } = open()
  const withGetter = Object.defineProperty(new Error('x'), 'stack', {
    get() {
      throw new Error('of the getter')
    },
  })
  const trapped = new Proxy(
    {},
    {
      getPrototypeOf() {
        throw new Error('of the trap')
      },
    },
  )
  const thrown = [null, undefined, Symbol('s'), Object.create(null), withGetter, trapped]
  for (const one of thrown) raise(one)
  raise(Object.assign(new Error('a number'), { stack: 5 }))
  fail('at file:///%E0%A4%A:1:2')
  fail('Error: 100 % sure\n    at file:///srv/shop/100%.ts:1:2')
  assert.equal(logged.length, thrown.length + 3)
  assert.deepEqual(ended, [])
})

test('process.exit stops the server once, never with 0, and the code behind it does not run', () => {
  const { process, logged, ended, end } = open()
  const call = process.exit as (code?: number) => never
  for (const code of [undefined, 0, 3]) {
    let thrown: unknown
    try {
      ;(process.exit as typeof call)(code)
    } catch (error) {
      thrown = error
    }
    assert.ok(thrown instanceof Error)
    process.emit('uncaughtException', thrown) // of a timer: it is no failure
  }
  assert.deepEqual(ended, [1])
  assert.deepEqual(
    logged.map(([{ exit_code }]) => exit_code),
    [1, 1, 3],
  )
  end()
  assert.equal(process.listenerCount('uncaughtException'), 0)
  assert.throws(() => process.exit(), /the real exit/)
})
