// Events as an endless response body (Server-Sent Events: HTML, section 9.2). The buffer is bounded: Twain closes the stream of
// a client that reads too slowly, and the client reconnects with the last event id that it received.

import type { BodyStream } from '#base/http'
import { clearInterval, setInterval } from '#base/time'

/** What the buffer may hold for a client that does not read. */
const maxWaitingCharacters = 1_048_576

export class EventStream<Event> implements BodyStream {
  readonly #frame: (event: Event) => string
  readonly #heartbeatSeconds: number
  #stopFollowing: () => void = () => {}
  #stopMonitoring: () => void = () => {}
  #heartbeatTimer: NodeJS.Timeout | null = null
  readonly #waiting: string[] = []
  #size = 0
  #isClosed = false
  #wake: (() => void) | null = null
  #onDrained: (() => void) | null = null

  /** `frame`: the text of an event. Without `heartbeatSeconds` (0) there are no heartbeats. */
  constructor(frame: (event: Event) => string, heartbeatSeconds: number) {
    this.#frame = frame
    this.#heartbeatSeconds = heartbeatSeconds
  }

  /** When the stream closes it stops the follower, and the monitoring of the viewer's session. */
  start(follower: { stop(): void }, heartbeat: () => string, stopMonitoring: () => void): this {
    this.#stopFollowing = () => follower.stop()
    this.#stopMonitoring = stopMonitoring
    this.#write(heartbeat())
    if (this.#heartbeatSeconds > 0) {
      this.#heartbeatTimer = setInterval(() => {
        if (this.#waiting.length === 0) this.#write(heartbeat())
      }, this.#heartbeatSeconds * 1000)
    }
    return this
  }

  /** In characters. */
  get waitingSize(): number {
    return this.#size
  }

  /** Only events from earlier calls count as waiting: a client that reads well may get many at once. */
  receive(events: readonly Event[]): void {
    if (this.#size > maxWaitingCharacters) this.#close()
    else for (const event of events) this.#write(this.#frame(event))
  }

  whenDrained(): Promise<void> | null {
    if (this.#waiting.length === 0) return null
    return new Promise((resolve) => {
      this.#onDrained = resolve
    })
  }

  end(lastFrame: string): void {
    if (this.#isClosed) return
    this.#write(lastFrame)
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
        this.#size = 0
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
    this.#stopFollowing()
    this.#wake?.()
    this.#onDrained?.()
  }
}
