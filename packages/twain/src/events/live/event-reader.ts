// A reader with its place in the log.

import type { ApiError } from '#base'
import type { RenderedEvent } from '../feed/interest.ts'
import type { EventReader } from './reader.ts'

export class LiveReader {
  readonly reader: EventReader
  /** Everything up to here was told, or was not for this reader. */
  position: number
  readonly #over: () => void
  #isOver = false

  constructor(reader: EventReader, position: number, over: () => void) {
    this.reader = reader
    this.position = position
    this.#over = over
  }

  get isOver(): boolean {
    return this.#isOver
  }

  receive(events: readonly RenderedEvent[]): void {
    if (!this.#isOver) this.reader.receive(events)
  }

  stop(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#over()
  }

  end(fault: ApiError | null): void {
    if (this.#isOver) return
    this.stop()
    this.reader.end(fault)
  }
}
