// The live end of the log: one reading of it for all who follow.
//
// 1. While nobody follows, nobody listens: a write then pays nothing for events.
// 2. What was read is claimed (`position`) before anything else is done, in the same turn. Who joins at a position is told of
//    nothing up to it, and of everything behind it.
// 3. One batch is told after the other, so each reader gets the order of the log.
// 4. A database that is away for a moment delays what is told, and loses nothing of it.

import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { ApiError, exceptionFields, type Log, stackOf } from '#base'
import type { ChangeEvent, ChangeLog, ChangeRecord } from '#store'
import { changesPruned, writeCursor } from '../feed/cursor.ts'
import type { Interest, RenderedEvent } from '../feed/interest.ts'
import type { LogResources } from '../feed/log-resources.ts'
import type { LiveReader } from './event-reader.ts'
import { type ReaderGroup, ReaderIndex } from './reader-index.ts'

/** Changes that are told together. */
const mostAtOnce = 500
/** Milliseconds. */
const retryAfter = 250
const longestTurn = 10

export class Hub {
  readonly #changes: ChangeLog
  readonly #named: LogResources
  readonly #log: Log
  readonly #index = new ReaderIndex()
  /** Up to where the log was read. */
  #position = 0
  #deliveredPosition = 0
  #isDue = false
  #running: Promise<void> | null = null
  #unwatch: (() => void) | null = null
  #isClosed = false

  constructor(changes: ChangeLog, named: LogResources, log: Log) {
    this.#changes = changes
    this.#named = named
    this.#log = log
  }

  /** Up to where everything was told to all who have joined. */
  get told(): number {
    return this.#deliveredPosition
  }

  /** False when others are ahead: then it must read on first. */
  join(member: LiveReader): boolean {
    if (this.#isClosed) return false
    if (this.#unwatch === null) {
      this.#position = member.position
      this.#deliveredPosition = member.position
      this.#unwatch = this.#changes.watch(() => this.#ring())
    } else if (member.position < this.#position) return false
    this.#index.add(member)
    this.#ring()
    return true
  }

  leave(member: LiveReader): void {
    this.#index.delete(member)
    if (this.#index.size > 0) return
    this.#unwatch?.()
    this.#unwatch = null
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#unwatch?.()
    await this.#running
  }

  #ring(): void {
    this.#isDue = true
    this.#running ??= this.#run().finally(() => {
      this.#running = null
      if (this.#isDue && this.#isLive) this.#ring()
    })
  }

  get #isLive(): boolean {
    return !this.#isClosed && this.#unwatch !== null
  }

  async #run(): Promise<void> {
    while (this.#isDue && this.#isLive) {
      this.#isDue = false
      try {
        await this.#readOn()
      } catch (error) {
        this.#log.warn(exceptionFields(error), 'change log could not be read; retrying')
        this.#isDue = true
        await sleep(retryAfter)
      }
    }
  }

  async #readOn(): Promise<void> {
    while (this.#isLive) {
      const from = this.#position
      const changes = await this.#changes.read(from, mostAtOnce)
      if (changes.length === 0 || !this.#isLive || this.#position !== from) return
      if (changes[0]!.position !== from + 1) {
        for (const member of this.#index.members()) member.end(changesPruned())
        return
      }
      this.#position = changes.at(-1)!.position // 2.
      await this.#tell(this.#match(changes))
      this.#deliveredPosition = this.#position
    }
  }

  #match(changes: readonly ChangeRecord[]): Map<ReaderGroup, ChangeRecord[]> {
    const work = new Map<ReaderGroup, ChangeRecord[]>()
    for (const change of changes) {
      const resource = this.#named.resourceOf(change.resource)
      if (resource === null) continue
      for (const group of this.#index.match(resource, change, (field) => this.#named.referencedIds(change, field))) {
        const some = work.get(group)
        if (some === undefined) work.set(group, [change])
        else some.push(change)
      }
    }
    return work
  }

  async #tell(work: Map<ReaderGroup, ChangeRecord[]>): Promise<void> {
    const batches = new Map<LiveReader, RenderedEvent[]>()
    let turn = performance.now()
    for (const [group, changes] of work) {
      await this.#tellGroup(group, changes, batches)
      if (performance.now() - turn < longestTurn) continue
      await nextTurn()
      turn = performance.now()
    }
    for (const [member, events] of batches) {
      if (member.reader.interests.size > 1) events.sort((a, b) => a.position - b.position)
      member.receive(events)
    }
  }

  async #tellGroup(
    { interest, readers: members }: ReaderGroup,
    changes: readonly ChangeRecord[],
    batches: Batches,
  ): Promise<void> {
    const byAccount = Map.groupBy(members, ({ reader }) => reader.account)
    const accounts = [...byAccount.keys()]
    const told = await this.#ask(interest, changes, accounts, members)
    if (told === null) return
    const { logId: log } = this.#named
    for (const [index, change] of changes.entries()) {
      const made = new Map<ChangeEvent, RenderedEvent>()
      for (const [viewer, one] of told[index]!.entries()) {
        if (one === null || !interest.kinds.has(one.kind)) continue
        let delivered = made.get(one)
        if (delivered === undefined) {
          const cursor = writeCursor(log, change.position)
          const text = interest.format({ change, cursor, event: one })
          delivered = { position: change.position, cursor, text }
          made.set(one, delivered)
        }
        for (const member of byAccount.get(accounts[viewer]!)!) {
          if (change.position <= member.position) continue
          const batch = batches.get(member)
          if (batch === undefined) batches.set(member, [delivered])
          else batch.push(delivered)
        }
      }
    }
  }

  /** Null: it can't be told, and those who wanted it have heard why. */
  async #ask(
    { subscription: watching }: Interest,
    changes: readonly ChangeRecord[],
    accounts: readonly (string | null)[],
    members: ReadonlySet<LiveReader>,
  ): Promise<(ChangeEvent | null)[][] | null> {
    while (!this.#isClosed) {
      try {
        return await watching.project(changes, accounts)
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'UNAVAILABLE') {
          const fault = error instanceof ApiError ? error : new ApiError('INTERNAL', 'A change could not be told.')
          if (!(error instanceof ApiError))
            this.#log.error({ 'exception.stacktrace': stackOf(error) }, 'change event could not be sent')
          for (const member of [...members]) member.end(fault)
          return null
        }
        await sleep(retryAfter)
      }
    }
    return null
  }
}

type Batches = Map<LiveReader, RenderedEvent[]>
