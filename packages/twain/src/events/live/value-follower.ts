// Passes the values of a custom subscription to one reader. It requests the next value when the reader can take more, so that
// nothing is buffered for a slow reader.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { monotonicTime } from '#base/time'

/** Where the values come from, each as the text of its event. */
export interface ValueSource {
  /** Null: there are no more. Rejects if the source failed, which ends it. */
  next(): Promise<string | null>
  /** Lets the source end. */
  stop(): void
}

/** `restart`: the server is draining, and the client may subscribe again. */
export type ValuesEnd = 'complete' | 'restart' | { error: unknown }

export interface ValueReader {
  receive(text: string): void
  /** Resolves when it can take more; null: now. */
  whenDrained(): Promise<void> | null
  /** No more values follow. */
  end(how: ValuesEnd): void
}

/** A source that never waits runs for at most this long before other requests get their turn. */
const maxTurnMs = 10

export class ValueFollower {
  readonly #source: ValueSource
  readonly #reader: ValueReader
  readonly #onEnd: () => void
  #isEnded = false

  /** Calls `onEnd` when it ends. */
  constructor(source: ValueSource, reader: ValueReader, onEnd: () => void) {
    this.#source = source
    this.#reader = reader
    this.#onEnd = onEnd
  }

  start(): void {
    void this.#run()
  }

  /** Stops without notice to the reader. */
  stop(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#source.stop()
    this.#onEnd()
  }

  end(how: ValuesEnd): void {
    if (this.#isEnded) return
    this.stop()
    this.#reader.end(how)
  }

  async #run(): Promise<void> {
    let turn = monotonicTime()
    while (!this.#isEnded) {
      try {
        const text = await this.#source.next()
        if (this.#isEnded) return
        if (text === null) this.end('complete')
        else this.#reader.receive(text)
        await this.#reader.whenDrained()
      } catch (error) {
        this.end({ error })
      }
      if (monotonicTime() - turn < maxTurnMs) continue
      await nextTurn()
      turn = monotonicTime()
    }
  }
}
