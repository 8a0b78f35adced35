// Events as an endless response body (Server-Sent Events: HTML, section 9.2). The buffer is bounded: Twain closes the stream of
// a client that reads too slowly, and the client reconnects with the last event id that it received.

import type { ApiError } from '#base'
import type { BodyStream } from '#base/http'
import type { LogPoint } from '#store'
import type { Interests, RenderedEvent } from '../feed/interest.ts'
import type { EventReader } from './event-reader.ts'
import type { LogFollower } from './log-follower.ts'

export interface EventStreamOptions {
  interests: Interests
  account: string | null
  /** One event of the stream. */
  frame(event: RenderedEvent): string
  /** Sent first, and at intervals while the stream is idle. Its id is the cursor to resume from. */
  heartbeat(cursor: string): string
  /** Sent last; null: the server is draining. */
  lastFrame(error: ApiError | null): string
  /** 0: no heartbeats. */
  heartbeatSeconds: number
  cursor(point: LogPoint): string
}

/** What the buffer may hold for a client that does not read. */
const maxWaitingCharacters = 1_048_576

export class EventStream implements EventReader, BodyStream {
  readonly interests: Interests
  readonly account: string | null
  readonly #options: EventStreamOptions
  #follower: LogFollower | null = null
  #stopMonitoring: () => void = () => {}
  #heartbeatTimer: NodeJS.Timeout | null = null
  readonly #waiting: string[] = []
  #size = 0
  #isClosed = false
  #wake: (() => void) | null = null
  #onDrained: (() => void) | null = null

  constructor(options: EventStreamOptions) {
    this.interests = options.interests
    this.account = options.account
    this.#options = options
  }

  /** `stopMonitoring` ends the monitoring of the viewer's session; called when the stream closes. */
  start(follower: LogFollower, stopMonitoring: () => void): this {
    this.#follower = follower
    this.#stopMonitoring = stopMonitoring
    const { heartbeatSeconds, heartbeat, cursor } = this.#options
    this.#write(heartbeat(cursor(follower.point)))
    if (heartbeatSeconds > 0) {
      this.#heartbeatTimer = setInterval(() => {
        if (this.#waiting.length === 0) this.#write(heartbeat(cursor(follower.point)))
      }, heartbeatSeconds * 1000)
    }
    return this
  }

  /** Only events from earlier calls count as waiting: a client that reads well may get many at once. */
  receive(events: readonly RenderedEvent[]): void {
    if (this.#size > maxWaitingCharacters) this.#close()
    else for (const event of events) this.#write(this.#options.frame(event))
  }

  whenDrained(): Promise<void> | null {
    if (this.#waiting.length === 0) return null
    return new Promise((resolve) => {
      this.#onDrained = resolve
    })
  }

  end(error: ApiError | null): void {
    if (this.#isClosed) return
    this.#write(this.#options.lastFrame(error))
    this.#close()
  }

  [Symbol.asyncIterator](): AsyncIterator<string> {
    return {
      next: async () => {
        while (this.#waiting.length === 0) {
          if (this.#isClosed) return { done: true, value: undefined }
          await new Promise<void>((resolve) => {
            this.#wake = resolve
          })
        }
        return { done: false, value: this.#takeAll() }
      },
      return: async () => {
        this.#waiting.length = 0
        this.#close()
        return { done: true, value: undefined }
      },
    }
  }

  #write(text: string): void {
    if (this.#isClosed || text === '') return
    this.#waiting.push(text)
    this.#size += text.length
    this.#wake?.()
  }

  #takeAll(): string {
    const text = this.#waiting.join('')
    this.#waiting.length = 0
    this.#size = 0
    this.#onDrained?.()
    this.#onDrained = null
    return text
  }

  /** The rest of the buffer is still sent. */
  #close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    if (this.#heartbeatTimer !== null) clearInterval(this.#heartbeatTimer)
    this.#stopMonitoring()
    this.#follower?.stop()
    this.#wake?.()
    this.#onDrained?.()
  }
}
