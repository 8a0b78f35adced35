// Fires the schedules of custom code: at each tick one node enqueues the job, in the transaction that saves the next tick.
//
// 1. Ticks that passed while no node ran are one: the next tick is the first one after now.
// 2. A tick whose job of an earlier tick still waits adds none: both have the same key.
// 3. A tick that lies more than a period ahead was computed by a clock that was ahead, and is computed anew.
// 4. Whoever starts with another schedule under the same name replaces it. Nodes that still run the former code leave it alone.

import { exceptionFields, type Log, uuidv7 } from '#base'
import { clearTimeout, setTimeout } from '#base/time'
import type { JobStore, StoredSchedule } from '#store'
import { type JobDefinition, nextTickOf, type Schedule } from './job-definition.ts'

export interface SchedulesOptions {
  store: JobStore
  definitions: readonly JobDefinition[]
  log: Log
}

/** Another node may have changed a schedule, and the clock of the database may have been set. */
const maxWaitMs = 30_000
const failureDelayMs = 1_000

/** Corrections of a clock are smaller. */
const maxStepBackMs = 60_000

/** The key under which the jobs of a schedule wait. */
const scheduleKey = 'schedule'

export class Schedules {
  readonly #options: SchedulesOptions
  readonly #schedules: ReadonlyMap<string, Schedule>
  #timer: NodeJS.Timeout | null = null
  #isStopped = false
  #running: Promise<void> = Promise.resolve()

  constructor(options: SchedulesOptions) {
    this.#options = options
    this.#schedules = new Map(
      options.definitions.flatMap(({ name, schedule }) => (schedule === null ? [] : [[name, schedule] as const])),
    )
  }

  /** Fires the schedules from now on. */
  async start(): Promise<void> {
    if (this.#schedules.size === 0) return
    await this.save()
    this.#run()
  }

  /** Saves the schedules that are new or have changed. */
  async save(): Promise<void> {
    const { store } = this.#options
    const now = await store.now()
    const stored = new Map((await store.schedules()).map((schedule) => [schedule.name, schedule]))
    for (const [name, schedule] of this.#schedules) {
      const previous = stored.get(name) ?? null
      if (previous?.spec === schedule.spec) continue
      await store.saveSchedule({ name, spec: schedule.spec, tick: nextTickOf(schedule, now, null) }, previous)
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#running
  }

  #run(): void {
    this.#running = this.fireDue()
      .catch((error) => {
        this.#options.log.warn(exceptionFields(error), 'schedules could not be read; retrying')
        return failureDelayMs
      })
      .then((delay) => {
        if (!this.#isStopped) this.#timer = setTimeout(() => this.#run(), delay).unref()
      })
  }

  /** Fires what is due, and returns in how many milliseconds to look again. */
  async fireDue(): Promise<number> {
    const { store } = this.#options
    const now = await store.now()
    let delay = maxWaitMs
    for (const stored of await store.schedules()) {
      const schedule = this.#schedules.get(stored.name)
      if (schedule?.spec !== stored.spec) continue
      const isDue = stored.tick <= now
      const next = isDue ? nextTickOf(schedule, now, stored.tick) : this.#expectedTick(schedule, stored, now)
      if (isDue) await this.#fire(stored, next)
      else if (next !== stored.tick) await this.#moveBack(stored, next)
      if (this.#isStopped) break
      delay = Math.min(delay, next - now)
    }
    return Math.max(delay, 10)
  }

  /** See 3. A clock that was set back by less than `maxStepBackMs` moves no tick: it would fire again. */
  #expectedTick(schedule: Schedule, { tick }: StoredSchedule, now: number): number {
    const first = nextTickOf(schedule, now, null)
    const period = nextTickOf(schedule, first, first) - first
    return tick - now > period + Math.min(period, maxStepBackMs) ? first : tick
  }

  async #moveBack(stored: StoredSchedule, next: number): Promise<void> {
    const { store, log } = this.#options
    await store.saveSchedule({ ...stored, tick: next }, stored)
    const ticks = { tick: new Date(next).toISOString(), former: new Date(stored.tick).toISOString() }
    log.warn({ job: stored.name, ...ticks }, 'the clock was ahead: the next tick of a schedule is computed anew')
  }

  async #fire(stored: StoredSchedule, next: number): Promise<void> {
    const { store, log } = this.#options
    const job = { id: uuidv7(), kind: 'code', name: stored.name, key: scheduleKey, payload: 'null', at: null } as const
    if (await store.fire(stored, next, { ...job, by: `schedule:${stored.name}` }))
      log.info({ job: stored.name, tick: new Date(stored.tick).toISOString() }, 'schedule fired')
  }
}
