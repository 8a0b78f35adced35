// One life of a service on SQLite in virtual time, by its seed: people write, delete, restore, sign in and repeat requests; the process
// freezes or is killed, the machine sleeps; the receiver of its webhook fails for days; in every second life the clock jumps. Each part
// (`parts/`) does something and checks what it may expect, meanwhile and at the end:
//
// 1. What was deleted can be restored for as long as `@softDelete(keep:)` says, and is gone later.
// 2. Changes stay in the log, and cursors valid, for as long as `events.retentionSeconds` says, histories as `@history(keep:)` does.
// 3. A request that is repeated with its idempotency key within 24 hours is not made twice; later it is.
// 4. A token is valid until it expires, and not longer; a session can be renewed until it ends.
// 5. Schedules fire once for each tick, also over daylight saving, and again within a period after the clock was wrong.
// 6. Every change reaches the webhook. Every task has its effect, not before it is due, also if it fails, hangs or loses its process.
//
// "As long" is time that really passed: no jump of the clock may shorten it. Only tokens end by the clock.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Deliveries } from './parts/deliveries.ts'
import { LeftOvers } from './parts/left-overs.ts'
import { Notes } from './parts/notes.ts'
import { People, sessionFlags } from './parts/people.ts'
import { Repeats } from './parts/repeats.ts'
import { Tasks } from './parts/tasks.ts'
import { Random } from './random.ts'
import { type Act, day, hour, type LifePart, minute, second, shortStep, World } from './world.ts'

export const year = 365 * day

const sdl = `
type User @account @allow(who: "self") @allow(to: [CREATE]) { id: ID! email: String! @unique }
type Note @allow @softDelete(keep: "2d") @history(keep: "5d") { id: ID! text: String! }
type Task @allow { id: ID! due: DateTime hangs: Boolean! }
type Effect @allow(to: [READ]) { id: ID! task: String! at: DateTime! @auto(set: CREATE_TIME) }
type Tick @allow(to: [READ]) { id: ID! name: String! at: DateTime! @auto(set: CREATE_TIME) }
`

const code = `
const tick = (name) => async (_payload, { system }) => void (await system.write.Tick.create({ name }))
export default {
  limits: { page: 1000, cost: 0, requestsPerMinute: 0 },
  after: {
    async Task({ kind, id, row: { due, hangs } }, { enqueue }) {
      if (kind === 'created') await enqueue('work', { task: id, hangs }, { key: id, ...(due === null ? {} : { at: due }) })
    },
  },
  jobs: {
    hourly: { every: '1h', run: tick('hourly') },
    nightly: { cron: '30 2 * * *', timeZone: 'Europe/Oslo', run: tick('nightly') },
    work: {
      async run({ task, hangs }, { system, job }) {
        if (hangs && job.attempt === 1) await new Promise(() => {})
        if (job.attempt <= task.charCodeAt(task.length - 1) % 3) throw new Error('not yet')
        await system.write.Effect.replace(task, { task })
      },
    },
  },
}
`

export interface LifeReport {
  virtualMs: number
  jumps: number
  kills: number
  requests: number
}

/** `isOver`: whether it must come to its end, which takes some seconds. */
export async function runLife(seed: number, lengthMs: number, isOver = () => false): Promise<LifeReport> {
  const folder = await mkdtemp(join(tmpdir(), 'twain-life-'))
  const life = new Life(seed, folder, lengthMs)
  const { world } = life
  try {
    await writeFile(join(folder, 'schema.graphql'), sdl)
    await writeFile(join(folder, 'twain.config.ts'), code)
    await writeFile(join(folder, 'package.json'), '{"type": "module"}')
    await life.run(isOver)
    return { virtualMs: world.elapsed, jumps: world.jumps, kills: world.kills, requests: world.requests }
  } catch (error) {
    const [at, { message }] = [(world.elapsed / day).toFixed(2), error as Error]
    throw new Error(`seed ${seed}, day ${at}: ${message}\n${world.story()}`)
  } finally {
    await life.end()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Clocks of Oslo change on these days, and in each life. */
const clockChanges = [Date.UTC(2026, 2, 29), Date.UTC(2026, 9, 25)]

class Life {
  readonly world: World
  readonly #lengthMs: number
  readonly #deliveries: Deliveries
  readonly #parts: readonly LifePart[]

  constructor(seed: number, folder: string, lengthMs: number) {
    const random = new Random(-seed)
    const begin = random.pick(clockChanges) - (2 + random.upTo(Math.min(lengthMs / day, 180) - 4)) * day
    this.world = new World(seed, folder, begin, [...sessionFlags, '--webhooks-allow-private', 'true'])
    this.#lengthMs = lengthMs
    const notes = new Notes(this.world)
    this.#deliveries = new Deliveries(this.world, notes)
    const [repeats, people, tasks] = [new Repeats(this.world, notes), new People(this.world), new Tasks(this.world)]
    this.#parts = [new LeftOvers(this.world), notes, repeats, people, tasks, this.#deliveries]
  }

  async run(isOver: () => boolean): Promise<void> {
    const { world } = this
    await world.server.start()
    await this.#deliveries.open()
    const acts = this.#parts.flatMap((part) => part.acts)
    const timeActs = this.#timeActs()
    while (world.elapsed < this.#lengthMs && !isOver()) {
      for (let count = world.random.upTo(20); count >= 0; count--) await world.random.pick(acts)()
      await world.random.pick(timeActs)()
    }
    await this.#settle()
  }

  async end(): Promise<void> {
    await this.world.server.kill()
    this.#deliveries.close()
  }

  #timeActs(): Act[] {
    const usual = Array.from({ length: 6 }, () => () => this.#pass())
    const rare = [() => this.#passExactly(), () => this.#freeze(), () => this.#kill()]
    const wrong = this.world.hasJumps ? [() => this.#jump(), () => this.#jump()] : []
    return [...usual, ...rare, ...wrong, ...this.#parts.flatMap((part) => part.rare ?? [])]
  }

  async #pass(): Promise<void> {
    const step = this.world.random.pick([hour, shortStep, shortStep, day, 3 * day])
    const steps = 1 + this.world.random.upTo(8)
    for (let done = 0; done < steps; done++) await this.world.advance(step)
    this.world.tellTime(`after ${steps} × ${step / hour} h`)
  }

  async #passExactly(): Promise<void> {
    await this.world.server.advance(this.world.random.upTo(90) * second, { exact: true })
  }

  async #freeze(): Promise<void> {
    const length = this.world.random.between(minute, 4 * day)
    const asleep = this.world.random.chance(0.5)
    this.world.tellTime(`${asleep ? 'asleep' : 'frozen'} for ${(length / hour).toFixed(1)} h`)
    await this.world.advance(length, asleep)
  }

  /** People go on while the clock is wrong. */
  async #jump(): Promise<void> {
    const { world } = this
    const length =
      world.random.pick([1, -1]) * world.random.between(world.random.pick([second, day, 9 * day]), 30 * day)
    world.tellTime(`the clock jumps by ${(length / hour).toFixed(1)} h`)
    await this.#act(8)
    await world.jumpBy(length)
    const wrong = world.random.between(minute, 2 * day)
    for (let passed = 0; passed < wrong; passed += shortStep) await world.advance(Math.min(shortStep, wrong - passed))
    await this.#look()
    await this.#act(8)
    // A clock that was behind and is right after a restart looks like a pause.
    const ends = ['stays', 'returns', 'returns', length < 0 ? 'returns' : 'returns in a restart']
    const end = world.random.pick(ends)
    if (end === 'returns') await world.jumpBy(-length)
    else if (end === 'returns in a restart') await world.restart('SIGKILL', 0, -length)
    world.tellTime(`the clock ${end}`)
    await this.#look()
    if (world.random.chance(0.5)) return
    for (let steps = 0; steps < 6; steps++) await world.advance(shortStep)
    await this.#look()
  }

  async #act(count: number): Promise<void> {
    const acts = this.#parts.flatMap((part) => part.acts)
    for (let done = 0; done < count; done++) await this.world.random.pick(acts)()
  }

  /** For what a wrong clock may have destroyed. */
  async #look(): Promise<void> {
    const looks = this.#parts.flatMap((part) => part.looks ?? [])
    for (let time = 0; time < 3; time++) for (const look of looks) await look()
  }

  async #kill(): Promise<void> {
    const { random } = this.world
    const signal = random.chance(0.8) ? 'SIGKILL' : 'SIGTERM'
    const pause = random.chance(0.5) ? 0 : random.between(second, 10 * day)
    this.world.tellTime(`${signal}, away for ${(pause / hour).toFixed(1)} h`)
    await this.world.restart(signal, pause)
  }

  /** The clock is right and everything works: then nothing may be missing, and later nothing may be left. */
  async #settle(): Promise<void> {
    for (let passed = 0; passed < 12 * day; passed += shortStep) await this.world.advance(shortStep)
    for (const part of this.#parts) await part.checkKept?.()
    for (let passed = 0; passed < 40 * day; passed += day) await this.world.advance(day)
    for (const part of this.#parts) await part.checkGone?.()
  }
}
