// Readers of live events: the interface that streams, subscriptions and long polls implement, and a reader with its position.

import type { ApiError } from '#base'
import type { Viewer } from '#base/http'
import type { LogPoint } from '#store'
import type { Interests, RenderedEvent } from '../feed/interest.ts'

export interface EventReader {
  interests: Interests
  viewer: Viewer
  /** The client's IP address. */
  address: string
  /** Gets events in log order. Never blocks: a reader that is too slow ends itself. */
  receive(events: readonly RenderedEvent[]): void
  /** Called between pages while the reader catches up. Resolves when it can take more; null: now. */
  whenDrained(): Promise<void> | null
  /** No more events follow. Null: the server is draining, and the client may reconnect with its last cursor. */
  end(error: ApiError | null): void
}

export class LiveReader {
  readonly reader: EventReader
  /** The reader has received every matching event up to here. */
  point: LogPoint
  /** The position of the last event that the reader received; at first that of its cursor, which an earlier stream may have
   *  sent. */
  receivedPosition: number
  readonly #onEnd: () => void
  #isEnded = false

  constructor(reader: EventReader, point: LogPoint, onEnd: () => void) {
    this.reader = reader
    this.point = point
    this.receivedPosition = point.position
    this.#onEnd = onEnd
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  receive(events: readonly RenderedEvent[]): void {
    if (this.#isEnded) return
    this.receivedPosition = events.at(-1)!.position
    this.reader.receive(events)
  }

  stop(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#onEnd()
  }

  end(error: ApiError | null): void {
    if (this.#isEnded) return
    this.stop()
    this.reader.end(error)
  }
}
