// The live end of the change log: the hub reads it once for all readers.
//
// 1. Without readers the hub does not watch the log, so a write costs nothing for events.
// 2. The hub advances `#point` in the same turn in which it reads changes. A reader that joins at a point gets every change
//    after it and none up to it.
// 3. The hub delivers one batch after the other, so each reader gets the order of the log.
// 4. While the database is unavailable, events are delayed and none is lost.
// 5. If the database has lost changes, readers that received one of them end with the error. The others continue.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { ApiError, exceptionFields, type Log, stackOf } from '#base'
import { monotonicTime, sleep } from '#base/time'
import { type ChangeEvent, type ChangeLog, type ChangeRecord, ChangesLost, type LogPoint, pointOf } from '#store'
import { changesPruned } from '../feed/cursor.ts'
import type { Interest, RenderedEvent } from '../feed/interest.ts'
import type { LogResources } from '../feed/project-page.ts'
import type { LiveReader } from './event-reader.ts'
import { type ReaderGroup, ReaderIndex } from './reader-index.ts'

const maxReadChanges = 500
const retryDelayMs = 250
const maxTurnMs = 10

export class Hub {
  readonly #changes: ChangeLog
  readonly #resources: LogResources
  readonly #log: Log
  readonly #readers = new ReaderIndex()
  /** The log was read up to here. */
  #point: LogPoint
  #deliveredPoint: LogPoint
  #isDue = false
  #running: Promise<void> | null = null
  #unwatch: (() => void) | null = null
  #isClosed = false

  constructor(changes: ChangeLog, resources: LogResources, log: Log) {
    this.#changes = changes
    this.#resources = resources
    this.#log = log
    this.#point = this.#deliveredPoint = changes.point(0)
  }

  /** All readers have received every event up to here. */
  get deliveredPoint(): LogPoint {
    return this.#deliveredPoint
  }

  /** False if the hub is ahead of the reader, which must catch up first. */
  join(liveReader: LiveReader): boolean {
    if (this.#isClosed) return false
    if (this.#unwatch === null) {
      this.#point = this.#deliveredPoint = liveReader.point
      this.#unwatch = this.#changes.watch(() => this.#wake())
    } else if (!this.#isAhead(liveReader)) {
      this.#wake() // it may not know yet that changes were lost
      return false
    }
    this.#readers.add(liveReader)
    this.#wake()
    return true
  }

  /** Whether the reader is where the hub is, or further, in the same epoch. */
  #isAhead({ point }: LiveReader): boolean {
    return point.position >= this.#point.position && point.epoch === this.#changes.point(point.position).epoch
  }

  leave(liveReader: LiveReader): void {
    this.#readers.delete(liveReader)
    if (this.#readers.size > 0) return
    this.#unwatch?.()
    this.#unwatch = null
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#unwatch?.()
    await this.#running
  }

  #wake(): void {
    this.#isDue = true
    this.#running ??= this.#run().finally(() => {
      this.#running = null
      if (this.#isDue && this.#isLive) this.#wake()
    })
  }

  get #isLive(): boolean {
    return !this.#isClosed && this.#unwatch !== null
  }

  async #run(): Promise<void> {
    while (this.#isDue && this.#isLive) {
      this.#isDue = false
      try {
        await this.#readChanges()
      } catch (error) {
        if (error instanceof ChangesLost) {
          this.#rewind(error)
          continue
        }
        this.#log.warn(exceptionFields(error), 'change log could not be read; retrying')
        this.#isDue = true
        await sleep(retryDelayMs)
      }
    }
  }

  /** See 5. */
  #rewind(lost: ChangesLost): void {
    const { kept } = lost
    for (const liveReader of this.#readers.readers()) {
      if (kept === null || liveReader.receivedPosition > kept.position) liveReader.end(lost)
      else if (liveReader.point.position > kept.position) liveReader.point = kept
    }
    if (kept === null) return
    this.#point = this.#deliveredPoint = kept
    this.#isDue = true
  }

  async #readChanges(): Promise<void> {
    while (this.#isLive) {
      const from = this.#point
      const changes = await this.#changes.read(from, maxReadChanges)
      if (changes.length === 0 || !this.#isLive || this.#point !== from) return
      if (changes[0]!.position !== from.position + 1) {
        for (const liveReader of this.#readers.readers()) liveReader.end(changesPruned())
        return
      }
      this.#point = pointOf(changes.at(-1)!) // 2.
      await this.#deliver(this.#match(changes))
      this.#deliveredPoint = this.#point
    }
  }

  #match(changes: readonly ChangeRecord[]): Map<ReaderGroup, ChangeRecord[]> {
    const work = new Map<ReaderGroup, ChangeRecord[]>()
    for (const change of changes) {
      const resource = this.#resources.resourceOf(change.resource)
      if (resource === null) continue
      for (const group of this.#readers.match(resource, change, (field) =>
        this.#resources.channelValues(change, field),
      )) {
        const some = work.get(group)
        if (some === undefined) work.set(group, [change])
        else some.push(change)
      }
    }
    return work
  }

  async #deliver(work: Map<ReaderGroup, ChangeRecord[]>): Promise<void> {
    const batches = new Map<LiveReader, RenderedEvent[]>()
    let turn = monotonicTime()
    for (const [group, changes] of work) {
      await this.#renderGroup(group, changes, batches)
      if (monotonicTime() - turn < maxTurnMs) continue
      await nextTurn()
      turn = monotonicTime()
    }
    for (const [liveReader, events] of batches) {
      if (liveReader.reader.interests.size > 1) events.sort((a, b) => a.position - b.position)
      liveReader.receive(events)
    }
  }

  async #renderGroup(
    { interest, readers }: ReaderGroup,
    changes: readonly ChangeRecord[],
    batches: ReaderBatches,
  ): Promise<void> {
    const byAccount = Map.groupBy(readers, ({ reader }) => reader.viewer.account)
    const accounts = [...byAccount.keys()]
    const projected = await this.#project(interest, changes, accounts, readers)
    if (projected === null) return
    const { cursors } = this.#resources
    for (const [index, change] of changes.entries()) {
      const rendered = new Map<ChangeEvent, RenderedEvent>()
      for (const [viewer, projection] of projected[index]!.entries()) {
        if (projection === null || !interest.kinds.has(projection.kind)) continue
        let event = rendered.get(projection)
        if (event === undefined) {
          const { epoch, position, trace } = change
          const cursor = cursors.write(change)
          event = { epoch, position, cursor, text: interest.format({ change, cursor, event: projection }), trace }
          rendered.set(projection, event)
        }
        for (const liveReader of byAccount.get(accounts[viewer]!)!) {
          if (change.position <= liveReader.point.position) continue
          const batch = batches.get(liveReader)
          if (batch === undefined) batches.set(liveReader, [event])
          else batch.push(event)
        }
      }
    }
  }

  /** Null if the projection failed. The readers of the group then have ended with the error. */
  async #project(
    { subscription }: Interest,
    changes: readonly ChangeRecord[],
    accounts: readonly (string | null)[],
    readers: ReadonlySet<LiveReader>,
  ): Promise<(ChangeEvent | null)[][] | null> {
    while (!this.#isClosed) {
      try {
        return await subscription.project(changes, accounts)
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'UNAVAILABLE') {
          const apiError =
            error instanceof ApiError ? error : new ApiError('INTERNAL', 'A change event could not be sent.')
          if (!(error instanceof ApiError))
            this.#log.error({ 'exception.stacktrace': stackOf(error) }, 'change event could not be sent')
          for (const liveReader of [...readers]) liveReader.end(apiError)
          return null
        }
        await sleep(retryDelayMs)
      }
    }
    return null
  }
}

type ReaderBatches = Map<LiveReader, RenderedEvent[]>
