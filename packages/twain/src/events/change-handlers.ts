// Own code that is told of what was committed (`on` of twain.config.ts): in the order of the log, one change after another.
//
// 1. At least once: how far it has come is kept with the data. Who is killed in the middle is told some of it again.
// 2. By one node at a time; when that is gone for a while another goes on.
// 3. A call that fails is made again, and what is behind it waits; after some tries it is given up and told to the log.

import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, type Log, stackOf, system, uuidv7 } from '#base'
import type { Resource } from '#model'
import type { ChangeLog, HandlerPositions } from '#store'
import type { Events } from './events.ts'
import type { CloudEvent } from './feed/cloud-event.ts'
import type { Interest, Interests, RenderedEvent } from './feed/interest.ts'

export interface ChangeHandlersOptions {
  positions: HandlerPositions
  events: Events
  changes: ChangeLog
  /** The types that the code wants to hear of. */
  types: readonly Resource[]
  /** Rejects when the call failed. */
  handle(of: Resource, told: HandledChange): Promise<void>
  log: Log
  clock: () => number
  /** Milliseconds before the first retry; each next pause is twice as long. */
  firstRetryMs?: number
}

export interface HandledChange {
  kind: 'created' | 'updated' | 'deleted'
  id: string
  version: number
  time: string
  cursor: string
  row: object | null
}

const name = 'on'
const mostAtOnce = 50
const mostTries = 8
/** Milliseconds. */
const leased = 30_000
const renewEvery = 10_000
const lookEvery = 5_000
const saveEvery = 1_000

export class ChangeHandlers {
  readonly #parts: ChangeHandlersOptions
  readonly #interests: Interests
  readonly #holder = uuidv7()
  readonly #stopping = new AbortController()
  readonly #unwatch: () => void
  #running: Promise<void> = Promise.resolve()
  /** Whether something may have come since it was looked. */
  #hasNews = false
  #wake: () => void = () => {}
  /** When the lease was renewed, and how far all was told since: what concerns nobody is not worth a write each time. */
  #held: { at: number; position: number } | null = null

  /** From now on, if the code was never told of anything here. */
  static async open(parts: ChangeHandlersOptions): Promise<ChangeHandlers> {
    const reactions = new ChangeHandlers(parts)
    if (!parts.positions.isShared) await parts.positions.release(name, null) // of a process that was killed
    await reactions.#hold()
    reactions.#running = reactions.#run()
    return reactions
  }

  private constructor(parts: ChangeHandlersOptions) {
    this.#parts = parts
    const { events, changes, types } = parts
    this.#interests = new Map<Resource, Interest>(types.flatMap((of) => [...events.interests(system, of)]))
    this.#unwatch = changes.watch(() => {
      this.#hasNews = true
      this.#wake()
    })
  }

  /** What is under way ends; what is left is told by who comes next. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#wake()
    this.#unwatch()
    await this.#running
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted
  }

  async #run(): Promise<void> {
    const { positions: readers, log } = this.#parts
    while (!this.#isStopped) {
      this.#hasNews = false
      try {
        if (!(await this.#tellSome())) await this.#rest()
      } catch (error) {
        if (!(error instanceof ApiError))
          log.error({ 'exception.stacktrace': stackOf(error) }, 'changes could not be passed to custom code; retrying')
        await this.#rest()
      }
    }
    try {
      if (this.#held !== null) await this.#move(this.#held.position)
      await readers.release(name, this.#holder)
    } catch {
      // Its time is over soon, and some of it is told again.
    }
  }

  /** False when there was nothing to tell, or it is another's to be told. */
  async #tellSome(): Promise<boolean> {
    const { events } = this.#parts
    const from = await this.#position()
    if (from === null) return false
    const { events: told, position } = await this.#page(from)
    if (position === from) return false
    let saved = performance.now()
    for (const event of told) {
      if (this.#isStopped || (await this.#position()) === null) return false
      if (!(await this.#tell(event, events.cursor(event.position)))) return false
      if (this.#held !== null) this.#held.position = event.position
      if (performance.now() - saved < saveEvery) continue
      saved = performance.now()
      await this.#move(event.position)
    }
    if (this.#held !== null) this.#held.position = position
    if (told.length > 0) await this.#move(position)
    return true
  }

  async #page(from: number): ReturnType<Events['page']> {
    const { events, log } = this.#parts
    try {
      return await events.page(this.#interests, system, from, mostAtOnce)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'GONE') throw error
      const oldest = await events.oldestPosition()
      log.warn({ changes: oldest - from }, 'custom code missed changes that were already pruned')
      return events.page(this.#interests, system, oldest, mostAtOnce)
    }
  }

  /** False when we stop before it was taken. */
  async #tell({ text }: RenderedEvent, cursor: string): Promise<boolean> {
    const { handle: react, log, firstRetryMs: pause = 250 } = this.#parts
    const { type, subject: id, version, time, data, source } = JSON.parse(text) as CloudEvent & { data: object }
    const kind = type.slice(type.lastIndexOf('.') + 1) as HandledChange['kind']
    const of = [...this.#interests.keys()].find(({ path }) => source === `/${path}`)!
    const told = { kind, id, version, time, cursor, row: kind === 'deleted' ? null : data }
    for (let tries = 1; ; tries++) {
      try {
        await react(of, told)
        return true
      } catch (error) {
        const about = {
          'code.function.name': `on.${of.name}`,
          id,
          cursor,
          attempts: tries,
          'exception.stacktrace': stackOf(error),
        }
        if (tries === mostTries) {
          log.error(about, 'custom code failed for a change; giving up')
          return true
        }
        log.warn(about, 'custom code failed for a change; retrying')
      }
      await this.#sleep(pause * 2 ** (tries - 1))
      if (this.#isStopped || (await this.#position()) === null) return false
    }
  }

  /** Where to read on; null while it is another's. */
  async #position(): Promise<number | null> {
    const isFresh = this.#held !== null && performance.now() - this.#held.at < renewEvery
    if (!isFresh) await this.#hold()
    return this.#held?.position ?? null
  }

  async #hold(): Promise<void> {
    const { positions: readers, changes, clock } = this.#parts
    const now = clock()
    const lease = { holder: this.#holder, now, until: now + leased }
    const kept = await readers.acquire(name, await changes.end(), lease)
    // Another may have come further meanwhile; or we, past what concerns nobody.
    const position = kept === null ? null : Math.max(kept, this.#held?.position ?? 0)
    this.#held = position === null ? null : { at: performance.now(), position }
  }

  async #move(position: number): Promise<void> {
    if (!(await this.#parts.positions.advance(name, this.#holder, position))) this.#held = null
  }

  /** Until there may be something new. */
  async #rest(): Promise<void> {
    if (this.#isStopped || this.#hasNews) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, lookEvery)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = () => {}
  }

  async #sleep(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.#stopping.signal }).catch(() => {})
  }
}
