// Loaded into a server before its own code (`node --import`): all its clocks, timers and random bytes are then those of a simulation,
// also in its writer thread. Time stands still until the simulation moves it (`Command`), and the server says when it has nothing
// left to do. Real are the files, the sockets, the database and the threads.

import { hash } from 'node:crypto'
import { channel } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'
import { setTimeout as realPause, setImmediate as turn } from 'node:timers/promises'
import { getEnvironmentData, isMainThread, setEnvironmentData, threadId, Worker } from 'node:worker_threads'
import type { simulatedTime, TimeSource } from '../../packages/twain/src/base/time/time.ts'

/** What the simulation tells a server to do. It answers with the same number. */
export interface Command {
  number: number
  /** Milliseconds that pass. */
  advance: number
  /** How the system clock jumps first, in milliseconds. */
  jump: number
  /** Whether every timer fires at its own time; otherwise the process is frozen meanwhile, and late timers fire once at the end. */
  exact: boolean
  /** Whether the machine sleeps meanwhile: the monotonic clock stands still. */
  asleep: boolean
}

/** `WALL,MONOTONIC,SEED` */
export const timeVariable = 'SIMULATED_TIME'

const sharedKey = 'twain simulated time'
const [wall, monotonic, seed] = (process.env[timeVariable] ?? '0,0,').split(',')

/** The wall clock, the monotonic clock and the time slept, shared with the threads. */
const clocks = isMainThread
  ? new Float64Array(new SharedArrayBuffer(24))
  : new Float64Array(getEnvironmentData(sharedKey) as SharedArrayBuffer)
if (isMainThread) {
  clocks.set([Number(wall), Number(monotonic)])
  setEnvironmentData(sharedKey, clocks.buffer as SharedArrayBuffer)
}

class VirtualTimer {
  due: number
  readonly #run: () => void
  readonly #milliseconds: number
  readonly #repeats: boolean

  constructor(run: () => void, milliseconds: number, repeats: boolean) {
    this.#run = run
    this.#milliseconds = Math.max(1, milliseconds || 1)
    this.#repeats = repeats
    this.due = clocks[1]! + this.#milliseconds
    waiting.add(this)
  }

  fire(): void {
    if (this.#repeats) this.due = clocks[1]! + this.#milliseconds
    else waiting.delete(this)
    this.#run()
  }

  refresh(): this {
    this.due = clocks[1]! + this.#milliseconds
    waiting.add(this)
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  hasRef(): boolean {
    return true
  }

  close(): this {
    waiting.delete(this)
    return this
  }

  [Symbol.dispose](): void {
    waiting.delete(this)
  }
}

const waiting = new Set<VirtualTimer>()
let drawn = 0

const installed: typeof simulatedTime = Symbol.for('twain simulated time') as typeof simulatedTime
const simulated: TimeSource = {
  wallTime: () => clocks[0]!,
  monotonicTime: () => clocks[1]!,
  sleptTime: () => clocks[2]!,
  setTimeout: ((run: (...values: unknown[]) => void, milliseconds: number, ...values: unknown[]) =>
    new VirtualTimer(() => run(...values), milliseconds, false)) as unknown as TimeSource['setTimeout'],
  setInterval: ((run: (...values: unknown[]) => void, milliseconds: number, ...values: unknown[]) =>
    new VirtualTimer(() => run(...values), milliseconds, true)) as unknown as TimeSource['setInterval'],
  clearTimer: (timer) => void (timer as VirtualTimer | undefined)?.close(),
  sleep: (milliseconds, _value, options) =>
    new Promise((resolve, reject) => {
      const stopped = () => {
        timer.close()
        reject(options!.signal!.reason)
      }
      const timer = new VirtualTimer(
        () => {
          options?.signal?.removeEventListener('abort', stopped)
          resolve()
        },
        milliseconds,
        false,
      )
      if (options?.signal?.aborted) stopped()
      else options?.signal?.addEventListener('abort', stopped, { once: true })
    }),
  timeoutSignal(milliseconds) {
    const controller = new AbortController()
    const end = () => controller.abort(new DOMException('The operation timed out.', 'TimeoutError'))
    new VirtualTimer(end, milliseconds, false)
    return controller.signal
  },
  fillRandom(bytes) {
    for (let at = 0; at < bytes.length; at += 32) {
      const block = hash('sha256', `${seed} ${threadId} ${drawn++}`, 'buffer')
      bytes.set(block.subarray(0, Math.min(32, bytes.length - at)), at)
    }
  },
}

Object.assign(globalThis, { [installed]: simulated })

if (isMainThread && process.send !== undefined) {
  countMessages()
  let done: Promise<void> = Promise.resolve()
  process.on('message', (command: Command) => {
    done = done.then(() => obey(command)).then(() => void process.send!(command.number))
  })
  process.channel!.unref()
}

/** What the server waits for, outside of its timers: answers of its threads, and of receivers. */
let outstanding = 0

function countMessages(): void {
  const post = Worker.prototype.postMessage
  const seen = new WeakSet<Worker>()
  Worker.prototype.postMessage = function (this: Worker, ...given: Parameters<typeof post>) {
    const isCounted = seen.has(this)
    // Nobody waits for answers of a thread that nobody listens to (the watchdog).
    if (this.listenerCount('message') <= (isCounted ? 1 : 0)) return post.apply(this, given)
    if (!isCounted) {
      seen.add(this)
      this.prependListener('message', () => outstanding--)
      const remove = this.removeAllListeners.bind(this)
      // An idle thread gives up its listeners, and not this one.
      this.removeAllListeners = (event?: string | symbol) => {
        remove(event as string)
        if (event === 'message') this.prependListener('message', () => outstanding--)
        return this
      }
    }
    outstanding++
    return post.apply(this, given)
  }
  channel('http.client.request.created').subscribe((message) => {
    outstanding++
    const { request } = message as { request: ClientRequest }
    request.once('close', () => outstanding--)
  })
}

async function obey({ advance, jump, exact, asleep }: Command): Promise<void> {
  clocks[0]! += jump + (asleep ? advance : 0)
  if (asleep) {
    clocks[2]! += advance
    return settle()
  }
  const end = clocks[1]! + advance
  while (exact) {
    const next = Math.min(...[...waiting].map(({ due }) => due))
    if (!(next <= end)) break
    pass(Math.max(0, Math.ceil(next - clocks[1]!)))
    await settle()
  }
  pass(Math.max(0, end - clocks[1]!))
  await settle()
}

function pass(milliseconds: number): void {
  clocks[0]! += milliseconds
  clocks[1]! += milliseconds
}

/** Fires what is due, until nothing is and nothing runs. */
async function settle(): Promise<void> {
  for (;;) {
    await quiet()
    const due = [...waiting].filter((timer) => timer.due <= clocks[1]!).sort((one, other) => one.due - other.due)
    if (due.length === 0) return
    for (const timer of due) if (waiting.has(timer)) timer.fire()
  }
}

const quietTurns = 4
/** A receiver that never answers does not stop the simulation. */
const patienceMs = 10_000

async function quiet(): Promise<void> {
  const until = performance.now() + patienceMs
  for (let still = 0; still < quietTurns && performance.now() < until; ) {
    await (outstanding > 0 || still === 1 ? realPause(outstanding > 0 ? 0 : 1) : turn())
    still = outstanding > 0 ? 0 : still + 1
  }
}
