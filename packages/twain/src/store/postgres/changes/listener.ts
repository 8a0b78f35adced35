// LISTEN on a connection of its own, which is opened again when it is lost. Notifications in between are lost.

import { sleep } from '#base/time'
import { Session } from '../connect/session.ts'

const reconnectDelayMs = 250

export class Listener {
  readonly #address: string
  readonly #channel: string
  readonly #wake: () => void
  readonly #closing = new AbortController()
  #session: Session | null = null
  readonly #running: Promise<void>

  /** `wake` is called for each notification, and when the connection is open again. */
  constructor(address: string, channel: string, wake: () => void) {
    this.#address = address
    this.#channel = channel
    this.#wake = wake
    this.#running = this.#run()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#session?.close()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      try {
        await this.#listen(signal)
      } catch {
        // The database is away; the sequencer polls anyway.
      }
      await sleep(reconnectDelayMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }

  /** Resolves when the connection is lost. */
  async #listen(signal: AbortSignal): Promise<void> {
    const session = await Session.open({ address: this.#address, time: 0, signal })
    this.#session = session
    try {
      if (signal.aborted) return
      await session.listen(this.#channel, this.#wake)
      this.#wake()
      await session.ended
    } finally {
      await session.close()
    }
  }
}
