// Runs a pass of work whenever it is woken, one at a time: a wake during a pass causes one more. A timer wakes it at the earliest of
// the requested times.

import { clearTimeout, monotonicTime, setTimeout } from '#base/time'

export class WakeLoop {
  readonly #pass: () => Promise<void>
  #isDue = false
  #running: Promise<void> | null = null
  #isStopped = false
  #timer: NodeJS.Timeout | null = null
  #timerAt = Number.POSITIVE_INFINITY

  /** `pass` never rejects. */
  constructor(pass: () => Promise<void>) {
    this.#pass = pass
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  wake(): void {
    this.#isDue = true
    if (this.#isStopped) return
    this.#running ??= this.#run().finally(() => {
      this.#running = null
      if (this.#isDue) this.wake()
    })
  }

  wakeIn(milliseconds: number): void {
    const delay = Math.min(0x7fffffff, Math.max(10, milliseconds))
    const at = monotonicTime() + delay
    if (this.#isStopped || at >= this.#timerAt) return
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timerAt = at
    this.#timer = setTimeout(() => {
      this.#timerAt = Number.POSITIVE_INFINITY
      this.wake()
    }, delay).unref()
  }

  /** Begins no further pass; resolves when none is running. */
  async stop(): Promise<void> {
    this.#isStopped = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#running
  }

  async #run(): Promise<void> {
    while (this.#isDue && !this.#isStopped) {
      this.#isDue = false
      await this.#pass()
    }
  }
}
