// Events as the body of an answer that does not end (Server-Sent Events: HTML, section 9.2). The client reads as fast as it
// likes; what waits for it is bounded, and who is too slow is cut off and comes again with the last id that it got.

import type { ApiError, BodyStream } from '#base'
import type { Interests, RenderedEvent } from '../feed/interest.ts'
import type { LogFollower } from './log-follower.ts'
import type { EventReader } from './reader.ts'

export interface EventStreamOptions {
  interests: Interests
  account: string | null
  /** A whole event of the stream. */
  frame(event: RenderedEvent): string
  /** What is said first, and when nothing has happened for a while; the id is where to resume. */
  heartbeat(cursor: string): string
  /** What is said last; null: the server is going. */
  lastFrame(fault: ApiError | null): string
  /** Seconds between signs of life. */
  heartbeatSeconds: number
  cursor(position: number): string
}

/** Characters that may wait for a client that does not read. */
const mostWaiting = 1_048_576

export class EventStream implements EventReader, BodyStream {
  readonly interests: Interests
  readonly account: string | null
  readonly #parts: EventStreamOptions
  #following: LogFollower | null = null
  #stopAttending: () => void = () => {}
  #heart: NodeJS.Timeout | null = null
  readonly #waiting: string[] = []
  #size = 0
  #isOver = false
  #wake: (() => void) | null = null
  #emptied: (() => void) | null = null

  constructor(parts: EventStreamOptions) {
    this.interests = parts.interests
    this.account = parts.account
    this.#parts = parts
  }

  /** What it reads, and what ends the look whether its reader still counts. */
  begin(following: LogFollower, stopAttending: () => void): this {
    this.#following = following
    this.#stopAttending = stopAttending
    const { heartbeatSeconds: heartbeat, heartbeat: sign, cursor } = this.#parts
    this.#say(sign(cursor(following.position)))
    if (heartbeat > 0) {
      this.#heart = setInterval(() => {
        if (this.#waiting.length === 0) this.#say(sign(cursor(following.position)))
      }, heartbeat * 1000)
    }
    return this
  }

  /** What waits from before counts, and not what comes now: much may come at once, for a client that reads well. */
  receive(events: readonly RenderedEvent[]): void {
    if (this.#size > mostWaiting) this.#close()
    else for (const event of events) this.#say(this.#parts.frame(event))
  }

  whenDrained(): Promise<void> | null {
    if (this.#waiting.length === 0) return null
    return new Promise((resolve) => {
      this.#emptied = resolve
    })
  }

  end(fault: ApiError | null): void {
    if (this.#isOver) return
    this.#say(this.#parts.lastFrame(fault))
    this.#close()
  }

  [Symbol.asyncIterator](): AsyncIterator<string> {
    return {
      next: async () => {
        while (this.#waiting.length === 0) {
          if (this.#isOver) return { done: true, value: undefined }
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

  #say(text: string): void {
    if (this.#isOver || text === '') return
    this.#waiting.push(text)
    this.#size += text.length
    this.#wake?.()
  }

  #takeAll(): string {
    const text = this.#waiting.join('')
    this.#waiting.length = 0
    this.#size = 0
    this.#emptied?.()
    this.#emptied = null
    return text
  }

  /** What waits is still sent. */
  #close(): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#heart !== null) clearInterval(this.#heart)
    this.#stopAttending()
    this.#following?.stop()
    this.#wake?.()
    this.#emptied?.()
  }
}
