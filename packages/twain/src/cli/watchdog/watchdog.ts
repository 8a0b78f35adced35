// Ends a server that custom code holds: code that loops for ever keeps the main thread from every request, from its own time
// limits and from signals. A thread watches whether the main thread gives a sign (`watchdog-thread.ts`).

import { url as debuggerUrl } from 'node:inspector'
import { Worker } from 'node:worker_threads'
import { clearInterval, setInterval } from '#base/time'
import { beatAt, codeAt, debuggedAt, signLength, type WatchdogData } from './sign.ts'

/** docs/operations/deploy.md states it. */
export const silentSeconds = 5

const beatMs = 500

export class Watchdog {
  readonly #sign = new Int32Array(new SharedArrayBuffer(signLength * Int32Array.BYTES_PER_ELEMENT))
  readonly #names = ['']
  readonly #numbers = new Map<string, number>()
  #thread: Worker | null = null
  #beat: NodeJS.Timeout | undefined

  /** Custom code with this name begins. */
  readonly began = (name: string): void => {
    let number = this.#numbers.get(name)
    if (number === undefined) {
      number = this.#names.push(name) - 1
      this.#numbers.set(name, number)
      this.#thread?.postMessage(name)
    }
    this.#sign[codeAt] = number
  }

  /** Called when the server serves: a start may take long. */
  start(limits: Pick<WatchdogData, 'hangMs' | 'drainMs' | 'isJson'>): void {
    const beat = () => {
      this.#sign[debuggedAt] = debuggerUrl() === undefined ? 0 : 1
      Atomics.add(this.#sign, beatAt, 1)
    }
    beat()
    this.#beat = setInterval(beat, beatMs).unref()
    const workerData: WatchdogData = {
      ...limits,
      sign: this.#sign.buffer as SharedArrayBuffer,
      names: [...this.#names],
    }
    // Node gives signals to the main thread alone, unless a thread reaches for the handles below (`signals.ts`).
    const execArgv = ['--expose-internals', '--disable-warning=internal/test/binding']
    const resourceLimits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 1 }
    this.#thread = new Worker(new URL('./watchdog-thread.ts', import.meta.url), {
      workerData,
      execArgv,
      resourceLimits,
    })
    this.#thread.unref()
    this.#thread.on('error', () => {}) // without it, the server is as it would be without custom code
  }

  async close(): Promise<void> {
    clearInterval(this.#beat)
    await this.#thread?.terminate()
  }
}
