// Following the log from a cursor: first what was missed, page by page and as fast as the reader takes it, then live with all
// others. Between the two is no gap and no repeat: who joins the hub does so at the position that it has read to.

import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, type Log, stackOf } from '#base'
import type { ChangeLog, ChangeRecord } from '#store'
import { changesPruned } from '../feed/cursor.ts'
import type { LogResources } from '../feed/log-resources.ts'
import { projectPage } from '../feed/project-page.ts'
import { LiveReader } from './event-reader.ts'
import type { Hub } from './hub.ts'
import type { EventReader } from './reader.ts'

const mostAtOnce = 200
/** Milliseconds. */
const retryAfter = 250

interface LogFollowerOptions {
  changes: ChangeLog
  hub: Hub
  named: LogResources
  log: Log
}

export class LogFollower {
  readonly #parts: LogFollowerOptions
  readonly #reader: EventReader
  readonly #member: LiveReader
  readonly #over: () => void
  #isJoined = false

  /** From behind this position on, once it has begun; `over` is called when it ends. */
  constructor(reader: EventReader, position: number, parts: LogFollowerOptions, over: () => void) {
    this.#parts = parts
    this.#reader = reader
    this.#over = over
    this.#member = new LiveReader(reader, position, () => this.#leave())
  }

  start(): void {
    void this.#catchUp()
  }

  /** Up to where everything was told: what a reader may resume from that was told nothing for long. */
  get position(): number {
    return this.#isJoined ? Math.max(this.#member.position, this.#parts.hub.told) : this.#member.position
  }

  /** Its reader's wish: that hears nothing more. */
  stop(): void {
    this.#member.stop()
  }

  end(fault: ApiError | null): void {
    this.#member.end(fault)
  }

  #leave(): void {
    if (this.#isJoined) this.#parts.hub.leave(this.#member)
    this.#isJoined = false
    this.#over()
  }

  async #catchUp(): Promise<void> {
    const { hub, log } = this.#parts
    while (!this.#member.isOver) {
      try {
        if (await this.#readPage()) continue // there may be much more
        if (this.#member.isOver) return
        this.#isJoined = hub.join(this.#member)
        if (this.#isJoined) return
      } catch (error) {
        if (error instanceof ApiError && error.code === 'UNAVAILABLE') {
          await sleep(retryAfter)
          continue
        }
        if (!(error instanceof ApiError))
          log.error({ 'exception.stacktrace': stackOf(error) }, 'change event could not be sent')
        this.end(error instanceof ApiError ? error : new ApiError('INTERNAL', 'A change could not be told.'))
      }
    }
  }

  /** Whether the page was full: else the end of the log is near enough to be waited for with all others. */
  async #readPage(): Promise<boolean> {
    const { changes, named } = this.#parts
    const page = await changes.read(this.#member.position, mostAtOnce)
    if (page.length === 0) return false
    expectNoGap(page, this.#member.position)
    const { interests, account } = this.#reader
    const events = await projectPage(page, interests, account, named)
    if (events.length > 0) this.#member.receive(events)
    this.#member.position = page.at(-1)!.position
    const room = this.#reader.whenDrained()
    if (room !== null) await room
    return page.length === mostAtOnce
  }
}

/** Positions are dense: where the next is missing, it is not kept any more. */
export function expectNoGap(page: readonly ChangeRecord[], position: number): void {
  if (page[0]!.position !== position + 1) throw changesPruned()
}
