// Jobs that fail, hang, lose their process or wait for their time, and schedules: each job has its effect, each tick fires once.

import assert from 'node:assert/strict'
import { type Act, day, hour, type LifePart, minute, second, shortStep, type World } from '../world.ts'

interface Task {
  id: string
  /** Null: at once. */
  due: number | null
  at: number
  /** As last looked. */
  isDone: boolean
}

export class Tasks implements LifePart {
  readonly acts: readonly Act[]
  readonly looks: readonly Act[]
  readonly #tasks: Task[] = []
  readonly #world: World

  constructor(world: World) {
    this.#world = world
    this.looks = [() => this.#add(), () => this.#checkProgress()]
    this.acts = [() => this.#add(), () => this.#checkSchedules(), () => this.#checkProgress()]
  }

  async #add(): Promise<void> {
    const { random, elapsed, server } = this.#world
    const due = random.chance(0.5) ? null : server.wall + random.between(second, 3 * day)
    const task = { due: due === null ? null : new Date(due).toISOString(), hangs: random.chance(0.1) }
    const { body } = await this.#world.request('POST', '/tasks', task, 201)
    this.#tasks.push({ id: body.id, due, at: elapsed, isDone: false })
  }

  /** Enough of a right clock and a running process for each task that had no time of its own: it fails or hangs three times at most. */
  async #checkProgress(): Promise<void> {
    const { elapsed, pauses, steadySince } = this.#world
    const since = Math.max(steadySince, pauses.at(-1)?.to ?? 0)
    await this.#checkDone(({ due, at }) => due === null && elapsed - Math.max(at, since) > day + minute)
  }

  /** Those whose time the clock has not reached yet keep it: somebody has set it. */
  async checkKept(): Promise<void> {
    const { wall } = this.#world.server
    await this.#checkSchedules()
    await this.#checkDone(({ due }) => due === null || due < wall - day)
    if (!this.#world.hasJumps) await this.#checkNights()
  }

  async #checkDone(which: (task: Task) => boolean): Promise<void> {
    for (const task of this.#tasks.filter((one) => !one.isDone && which(one))) {
      const { status, text } = await this.#world.request('GET', `/effects/${task.id}`)
      const time = task.due === null ? 'at once' : new Date(task.due).toISOString()
      assert.equal(status, 200, `the task ${task.id} of day ${(task.at / day).toFixed(3)}, due ${time}, was never done`)
      task.isDone = true
      const done = Date.parse((JSON.parse(text) as { at: string }).at)
      if (task.due !== null && !this.#world.hasJumps)
        assert.ok(done >= task.due, `the task ${task.id} was done before it was due, at ${time}`)
    }
  }

  async #checkSchedules(): Promise<void> {
    const { elapsed, lastStep, steadySince, server } = this.#world
    for (const [name, period] of [
      ['hourly', hour],
      ['nightly', 25 * hour],
    ] as const) {
      if (elapsed - steadySince < 2 * period + minute || lastStep > shortStep) continue
      const [last] = await this.#world.list<{ at: string }>(`/ticks?name=${name}&sort=-at&limit=1`)
      const ago = last === undefined ? Number.POSITIVE_INFINITY : server.wall - Date.parse(last.at)
      assert.ok(ago <= period + lastStep + minute, `the ${name} schedule is silent for ${ago / hour} h`)
    }
  }

  /** One tick each night of Oslo, also when summer time begins and ends, where the process did not pause. */
  async #checkNights(): Promise<void> {
    const { elapsed, pauses, server } = this.#world
    const ticks = await this.#world.list<{ at: string }>('/ticks?name=nightly&sort=at&limit=1000')
    const began = server.wall - elapsed
    const isCalm = (night: number) =>
      pauses.every(({ from, to }) => began + to < night - day || began + from > night + day)
    const midnight = Math.ceil(began / day) * day
    for (let night = midnight + day; night < server.wall - day; night += day) {
      if (!isCalm(night)) continue
      // Half past two of Oslo is half past midnight or half past one here.
      const found = ticks
        .map(({ at }) => Date.parse(at))
        .filter((at) => at >= night && at < night + 2 * hour + shortStep)
      assert.equal(found.length, 1, `${found.length} ticks in the night of ${new Date(night).toISOString()}`)
    }
  }
}
