// One life of a service on SQLite in virtual time, by its seed: people write, delete, restore, sign in and repeat requests; the clock
// jumps, the process freezes or is killed, the machine sleeps; the receiver of its webhook fails for days. Meanwhile and at the end:
//
// 1. What was deleted can be restored for as long as `@softDelete(keep:)` says, and is gone later.
// 2. Changes stay in the log, and cursors valid, for as long as `events.retentionSeconds` says.
// 3. A request that is repeated with its idempotency key within 24 hours is not made twice.
// 4. A token is valid until it expires, and not longer; a session can be renewed until it ends.
// 5. Schedules fire once for each tick, also over daylight saving, and again within a period after the clock was wrong.
// 6. Every change reaches the webhook, and every task has its effect, not before it is due.
//
// "As long" is time that really passed: no jump of the clock may shorten it. Only tokens end by the clock.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Random } from './random.ts'
import { SimulatedServer } from './simulated-server.ts'

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]
export const year = 365 * day

/** The process notices less than this late that time has passed. Longer steps of time are pauses of the process. */
const shortStep = 6 * hour

const keep = 2 * day
const keyKeep = day
const accessTokenMs = 900 * second

const sdl = `
type User @account @allow(who: "self") @allow(to: [CREATE]) { id: ID! email: String! @unique }
type Note @allow @softDelete(keep: "2d") { id: ID! text: String! }
type Task @allow { id: ID! due: DateTime! }
type Effect @allow(to: [READ]) { id: ID! task: String! at: DateTime! @auto(set: CREATE_TIME) }
type Tick @allow(to: [READ]) { id: ID! name: String! at: DateTime! @auto(set: CREATE_TIME) }
`

const code = `
const tick = (name) => async (_payload, { system }) => void (await system.write.Tick.create({ name }))
export default {
  limits: { page: 1_000_000, cost: 0, requestsPerMinute: 0 },
  after: {
    async Task({ kind, id, row }, { enqueue }) {
      if (kind === 'created') await enqueue('work', { task: id }, { at: row.due, key: id })
    },
  },
  jobs: {
    hourly: { every: '1h', run: tick('hourly') },
    nightly: { cron: '30 2 * * *', timeZone: 'Europe/Oslo', run: tick('nightly') },
    work: {
      async run({ task }, { system, job }) {
        if (job.attempt <= task.charCodeAt(task.length - 1) % 3) throw new Error('not yet')
        await system.write.Effect.replace(task, { task })
      },
    },
  },
}
`

/** What some answer has of these. */
interface Answer {
  id: string
  token: string
}

type Act = () => Promise<void>

interface Period {
  from: number
  to: number
}

interface Note {
  id: string
  /** When it was written last, and its changes since then. */
  writtenAt: number
  deletedAt: number | null
}

export interface LifeReport {
  virtualMs: number
  jumps: number
  kills: number
  requests: number
}

export async function runLife(seed: number, lengthMs: number): Promise<LifeReport> {
  const folder = await mkdtemp(join(tmpdir(), 'twain-life-'))
  const life = new Life(seed, folder)
  try {
    await writeFile(join(folder, 'schema.graphql'), sdl)
    await writeFile(join(folder, 'twain.config.ts'), code)
    await writeFile(join(folder, 'package.json'), '{"type": "module"}')
    return await life.run(lengthMs)
  } catch (error) {
    throw new Error(
      `seed ${seed}, day ${(life.server.elapsed / day).toFixed(2)}: ${(error as Error).message}\n${life.story()}`,
    )
  } finally {
    await life.end()
    await rm(folder, { recursive: true, force: true })
  }
}

class Life {
  readonly server: SimulatedServer
  readonly #random: Random
  /** Whether its clock is ever wrong. */
  readonly #hasJumps: boolean
  readonly #retention: number
  readonly #receiver = createServer((request, response) => this.#receive(request, response))
  readonly #notes: Note[] = []
  readonly #keyed: { key: string; id: string; at: number }[] = []
  readonly #cursors: { cursor: string; at: number; seen: number }[] = []
  readonly #tokens: { access: string; at: number; jumps: number; backward: number }[] = []
  readonly #tasks: { id: string; due: number }[] = []
  readonly #created: { id: string; at: number }[] = []
  /** When no server ran, or it was frozen. */
  readonly #pauses: Period[] = []
  /** When the receiver failed. */
  readonly #failures: Period[] = []
  readonly #received = new Set<string>()
  readonly #told: string[] = []
  /** How time passed. */
  readonly #passed: string[] = []
  #isFailing = false
  #failedOnce = false
  #jumps = 0
  /** Jumps backward and new processes: a steady clock knows nothing of the time before. */
  #backward = 0
  #kills = 0
  #requests = 0
  /** Since when the clock was right and the process ran. */
  #steadySince = 0
  #lastStep = 0

  constructor(seed: number, folder: string) {
    this.#random = new Random(seed)
    this.#hasJumps = this.#random.chance(0.6)
    this.#retention = this.#random.pick([1, 3, 7]) * day
    const flags = ['--events-retention-seconds', String(this.#retention / second), '--webhooks-allow-private', 'true']
    const begin = Date.UTC(2026, 0, 1) + this.#random.upTo(365) * day
    this.server = new SimulatedServer(
      folder,
      [...flags, '--log-slow-query-ms', '0', '--log-level', 'warn'],
      seed,
      begin,
    )
  }

  async run(lengthMs: number): Promise<LifeReport> {
    await new Promise<void>((resolve) => this.#receiver.listen(0, '127.0.0.1', resolve))
    await this.server.start()
    await this.#createWebhook()
    const [requestActs, timeActs] = [this.#requestActs(), this.#timeActs()]
    while (this.server.elapsed < lengthMs) {
      const acts = Array.from({ length: 1 + this.#random.upTo(20) }, () => this.#random.pick(requestActs))
      for (const act of [...acts, this.#random.pick(timeActs)]) {
        this.#tell(act.name.replace('bound #', ''))
        await act()
      }
    }
    await this.#settleAll()
    return { virtualMs: this.server.elapsed, jumps: this.#jumps, kills: this.#kills, requests: this.#requests }
  }

  async end(): Promise<void> {
    await this.server.kill()
    this.#receiver.closeAllConnections()
    this.#receiver.close()
  }

  /** The last acts, for the message of a failure. */
  story(): string {
    return [...this.#passed.slice(-40), '', ...this.#told.slice(-15), '', this.server.output.slice(-2000)].join('\n')
  }

  /** What people do; time stands still meanwhile. */
  #requestActs(): Act[] {
    const acts = [
      this.#write,
      this.#write,
      this.#remove,
      this.#remove,
      this.#restore,
      this.#createKeyed,
      this.#repeatKeyed,
      this.#readHistory,
      this.#takeCursor,
      this.#followCursor,
      this.#useToken,
      this.#addTask,
      this.#checkSchedules,
    ]
    return acts.map((act) => act.bind(this))
  }

  #timeActs(): Act[] {
    const usual = Array.from({ length: 6 }, () => this.#pass)
    const rare = [this.#passExactly, this.#freeze, this.#kill, this.#signIn, this.#turnReceiver]
    const wrong = this.#hasJumps ? [this.#jump, this.#jump] : []
    return [...usual, ...rare, ...wrong].map((act) => act.bind(this))
  }

  // ——— time ———

  async #pass(): Promise<void> {
    const step = this.#random.pick([hour, shortStep, shortStep, day, 3 * day])
    const steps = 1 + this.#random.upTo(8)
    for (let done = 0; done < steps; done++) await this.#advance(step)
    this.#tell(`after ${steps} × ${step / hour} h`, this.#passed)
  }

  async #passExactly(): Promise<void> {
    await this.server.advance(this.#random.upTo(90) * second, { exact: true })
  }

  async #freeze(): Promise<void> {
    const length = this.#random.between(minute, 4 * day)
    const asleep = this.#random.chance(0.5)
    this.#tell(`${asleep ? 'asleep' : 'frozen'} for ${(length / hour).toFixed(1)} h`, this.#passed)
    await this.#advance(length, asleep)
  }

  async #jump(): Promise<void> {
    const length = this.#random.pick([1, -1]) * this.#random.between(this.#random.pick([second, day]), 30 * day)
    this.#tell(`the clock jumps by ${(length / hour).toFixed(1)} h`, this.#passed)
    for (const act of [this.#write, this.#remove, this.#createKeyed, this.#takeCursor]) await act.call(this)
    await this.#jumpBy(length)
    await this.#advance(this.#random.between(minute, day))
    await this.#look()
    const back = this.#random.chance(0.7)
    if (back) await this.#jumpBy(-length)
    this.#tell(back ? 'the clock is as before' : 'the clock stays as it is', this.#passed)
    await this.#look()
  }

  /** What a wrong clock may have destroyed. */
  async #look(): Promise<void> {
    for (let time = 0; time < 3; time++) {
      await this.#restore()
      await this.#repeatKeyed()
      await this.#readHistory()
      await this.#followCursor()
    }
  }

  async #kill(): Promise<void> {
    await this.server.kill(this.#random.chance(0.8) ? 'SIGKILL' : 'SIGTERM')
    const pause = this.#random.chance(0.5) ? 0 : this.#random.between(second, 10 * day)
    this.#tell(`killed, away for ${(pause / hour).toFixed(1)} h`, this.#passed)
    const from = this.server.elapsed
    this.server.sleep(pause)
    this.#kills++
    this.#backward++
    await this.server.start()
    this.#pauses.push({ from, to: this.server.elapsed })
    this.#steadySince = this.server.elapsed
  }

  async #advance(length: number, asleep = false): Promise<void> {
    const from = this.server.elapsed
    await this.server.advance(length, { asleep })
    this.#lastStep = length
    if (length > shortStep) this.#pauses.push({ from, to: this.server.elapsed })
  }

  async #jumpBy(length: number): Promise<void> {
    this.#jumps++
    if (length < 0) this.#backward++
    await this.server.advance(0, { jump: length })
    this.#steadySince = this.server.elapsed
  }

  // ——— rows ———

  async #write(): Promise<void> {
    const note = this.#random.chance(0.5) ? undefined : this.#living()
    if (note === undefined) {
      const { body } = await this.#request('POST', '/notes', { text: 'new' }, 201)
      this.#notes.push({ id: body.id, writtenAt: this.server.elapsed, deletedAt: null })
      this.#created.push({ id: body.id, at: this.server.elapsed })
      return
    }
    await this.#request('PATCH', `/notes/${note.id}`, { text: `at ${this.server.elapsed}` }, 200)
    note.writtenAt = this.server.elapsed
  }

  async #remove(): Promise<void> {
    const note = this.#living()
    if (note === undefined) return
    await this.#request('DELETE', `/notes/${note.id}`, undefined, 204)
    note.deletedAt = this.server.elapsed
  }

  async #restore(): Promise<void> {
    const note = this.#random.find(this.#notes, ({ deletedAt }) => deletedAt !== null)
    if (note === undefined) return
    const age = this.server.elapsed - note.deletedAt!
    const { status } = await this.#request('POST', `/notes/${note.id}/restorations`)
    if (age < keep) assert.equal(status, 200, `a note that was deleted ${age / hour} h ago can't be restored`)
    if (status === 200) [note.deletedAt, note.writtenAt] = [null, this.server.elapsed]
    else this.#notes.splice(this.#notes.indexOf(note), 1)
  }

  async #readHistory(): Promise<void> {
    const note = this.#random.find(this.#notes, ({ deletedAt }) => deletedAt === null)
    if (note === undefined || this.server.elapsed - note.writtenAt > this.#retention) return
    const { text } = await this.#request('GET', `/notes/${note.id}/changes`, undefined, 200)
    const { edges } = JSON.parse(text) as { edges: unknown[] }
    assert.ok(
      edges.length > 0,
      `a change that is ${(this.server.elapsed - note.writtenAt) / hour} h old is not in the history`,
    )
  }

  // ——— idempotency keys and cursors ———

  async #createKeyed(): Promise<void> {
    const key = `key-${this.#requests}`
    const { body } = await this.#request('POST', '/notes', { text: key }, 201, { 'idempotency-key': key })
    this.#keyed.push({ key, id: body.id, at: this.server.elapsed })
    this.#created.push({ id: body.id, at: this.server.elapsed })
  }

  async #repeatKeyed(): Promise<void> {
    const one = this.#random.find(this.#keyed, () => true)
    if (one === undefined) return
    const age = this.server.elapsed - one.at
    if (age >= keyKeep) this.#keyed.splice(this.#keyed.indexOf(one), 1)
    else {
      const { body } = await this.#request('POST', '/notes', { text: one.key }, 201, { 'idempotency-key': one.key })
      assert.equal(body.id, one.id, `a request with a key that is ${age / hour} h old was made twice`)
    }
  }

  async #takeCursor(): Promise<void> {
    const { cursor } = await this.#changes()
    this.#cursors.push({ cursor, at: this.server.elapsed, seen: this.#created.length })
  }

  async #followCursor(): Promise<void> {
    const one = this.#random.find(this.#cursors, () => true)
    if (one === undefined) return
    const age = this.server.elapsed - one.at
    if (age >= this.#retention) return void this.#cursors.splice(this.#cursors.indexOf(one), 1)
    const missing = new Set(this.#created.slice(one.seen).map(({ id }) => id))
    let { cursor } = one
    for (;;) {
      const page = await this.#changes(cursor)
      for (const id of page.subjects) missing.delete(id)
      if (page.subjects.length === 0) break
      cursor = page.cursor
    }
    assert.deepEqual([...missing], [], `changes are missing behind a cursor that is ${age / hour} h old`)
  }

  /** A page of the feed. Without a position: its end. */
  async #changes(after = 'now'): Promise<{ cursor: string; subjects: string[] }> {
    const path = `/changes?first=100&resource=notes&after=${encodeURIComponent(after)}`
    const { status, text } = await this.#request('GET', path)
    assert.equal(status, 200, `a cursor is refused: ${text}`)
    const { edges, pageInfo } = JSON.parse(text) as {
      edges: { node: { subject: string } }[]
      pageInfo: { endCursor: string }
    }
    return { cursor: pageInfo.endCursor, subjects: edges.map(({ node }) => node.subject) }
  }

  // ——— people ———

  async #signIn(): Promise<void> {
    const credentials = { email: 'ann@example.org', password: 'the wind in the sails' }
    if (this.#tokens.length === 0) await this.#request('POST', '/users', credentials)
    const { body } = await this.#request('POST', '/tokens', credentials, 201)
    const [jumps, backward] = [this.#jumps, this.#backward]
    this.#tokens.push({ access: body.token, at: this.server.elapsed, jumps, backward })
  }

  async #useToken(): Promise<void> {
    const token = this.#tokens.at(-1)
    if (token === undefined) return
    const age = this.server.elapsed - token.at
    const { status } = await this.#request('GET', '/users', undefined, undefined, {
      authorization: `Bearer ${token.access}`,
    })
    if (age < accessTokenMs && token.jumps === this.#jumps) assert.equal(status, 200, 'a token ended too early')
    if (age > accessTokenMs + second && token.backward === this.#backward)
      assert.equal(status, 401, `a token is valid after ${age / minute} minutes`)
  }

  // ——— webhooks, jobs, schedules ———

  async #createWebhook(): Promise<void> {
    const authorization = `Bearer ${await this.server.operatorToken()}`
    const url = `http://127.0.0.1:${(this.#receiver.address() as AddressInfo).port}/hook`
    await this.#request('POST', '/webhooks', { url, events: ['note.created'] }, 201, { authorization })
  }

  #receive(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse): void {
    let text = ''
    request.setEncoding('utf8').on('data', (part) => (text += part))
    request.on('end', () => {
      if (!this.#isFailing) {
        const event = JSON.parse(text) as { data: { id: string } }
        this.#received.add(event.data.id)
      }
      response.writeHead(this.#isFailing ? 500 : 204).end()
    })
  }

  /** It fails for two days at most, which is within the time of retries. */
  async #turnReceiver(): Promise<void> {
    this.#isFailing = true
    this.#failedOnce = true
    const from = this.server.elapsed
    const until = from + this.#random.between(minute, 2 * day)
    while (this.server.elapsed < until) {
      if (this.#random.chance(0.3)) await this.#write()
      await this.#advance(this.#random.between(10 * minute, 6 * hour))
    }
    this.#isFailing = false
    this.#failures.push({ from, to: this.server.elapsed })
  }

  async #addTask(): Promise<void> {
    const due = this.server.wall + this.#random.between(second, 3 * day)
    const { body } = await this.#request('POST', '/tasks', { due: new Date(due).toISOString() }, 201)
    this.#tasks.push({ id: body.id, due })
  }

  async #checkSchedules(): Promise<void> {
    const steadyFor = this.server.elapsed - this.#steadySince
    for (const [name, period] of [
      ['hourly', hour],
      ['nightly', 25 * hour],
    ] as const) {
      if (steadyFor < 2 * period + minute || this.#lastStep > shortStep) continue
      const { text } = await this.#request('GET', `/ticks?name=${name}&sort=-at&limit=1`, undefined, 200)
      const [last] = JSON.parse(text) as { at: string }[]
      const ago = last === undefined ? Number.POSITIVE_INFINITY : this.server.wall - Date.parse(last.at)
      assert.ok(ago <= period + this.#lastStep + minute, `the ${name} schedule is silent for ${ago / hour} h`)
    }
  }

  // ——— the end ———

  /** The clock is right again and everything works: then nothing may be missing, and nothing may be left. */
  async #settleAll(): Promise<void> {
    for (let passed = 0; passed < 12 * day; passed += shortStep) await this.#advance(shortStep)
    await this.#checkSchedules()
    if (!this.#hasJumps || !this.#failedOnce) {
      const missing = this.#created.filter((one) => !this.#received.has(one.id) && this.#isOwed(one.at))
      assert.deepEqual(missing, [], 'changes that the webhook never received')
    }
    await this.#checkTasks()
    if (!this.#hasJumps) await this.#checkNights()
    for (let passed = 0; passed < 40 * day; passed += day) await this.#advance(day)
    for (const { id, deletedAt } of this.#notes) {
      if (deletedAt === null) continue
      const { status } = await this.#request('POST', `/notes/${id}/restorations`)
      assert.ok(
        status === 404 || status === 410,
        `a deleted note is still there after ${(this.server.elapsed - deletedAt) / day} days`,
      )
    }
  }

  /** Whether a change of this time reaches the webhook: Twain leaves out what is no longer in the change log when the receiver works. */
  #isOwed(at: number): boolean {
    const longestRetry = 6 * hour
    let works = at
    const outages = [...this.#pauses, ...this.#failures].sort((one, other) => one.from - other.from)
    for (const { from, to } of outages) if (to > works && from < works + 2 * longestRetry) works = to
    return works + 2 * longestRetry - at < this.#retention
  }

  async #checkTasks(): Promise<void> {
    const { text } = await this.#request('GET', '/effects?limit=1000000', undefined, 200)
    const effects = new Map((JSON.parse(text) as { task: string; at: string }[]).map(({ task, at }) => [task, at]))
    for (const { id, due } of this.#tasks) {
      const at = effects.get(id)
      // After a jump forward the clock that was ahead has set it to a time that may be far away.
      if (due > this.server.wall) continue
      assert.ok(at !== undefined, `the task ${id}, due ${new Date(due).toISOString()}, was never done`)
      if (!this.#hasJumps) assert.ok(Date.parse(at) >= due, `the task ${id} was done at ${at}, before it was due`)
    }
  }

  /** One tick each night of Oslo, also when summer time begins and ends, where the process did not pause. */
  async #checkNights(): Promise<void> {
    const { text } = await this.#request('GET', '/ticks?name=nightly&sort=at&limit=1000000', undefined, 200)
    const ticks = (JSON.parse(text) as { at: string }[]).map(({ at }) => Date.parse(at))
    const began = this.server.wall - this.server.elapsed
    const isCalm = (night: number) =>
      this.#pauses.every(({ from, to }) => began + to < night - day || began + from > night + day)
    for (let night = began + day; night < this.server.wall - day; night += day) {
      if (!isCalm(night)) continue
      // Half past two of Oslo is half past midnight or half past one here.
      const found = ticks.filter((tick) => tick >= night && tick < night + 2 * hour + shortStep)
      assert.equal(found.length, 1, `${found.length} ticks in the night of ${new Date(night).toISOString()}`)
    }
  }

  // ——— helpers ———

  #living(): Note | undefined {
    return this.#random.find(this.#notes, ({ deletedAt }) => deletedAt === null)
  }

  #tell(what: string, told = this.#told): void {
    const { elapsed, wall } = this.server
    told.push(`day ${(elapsed / day).toFixed(3)} (${new Date(wall).toISOString()}) ${what}`)
  }

  async #request(
    method: string,
    path: string,
    body?: object,
    expected?: number,
    more: Record<string, string> = {},
  ): Promise<{ status: number; text: string; body: Answer }> {
    this.#requests++
    const headers = { 'content-type': 'application/json', accept: 'application/json', ...more }
    const reply = await fetch(`${this.server.address}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    if (expected !== undefined) assert.equal(reply.status, expected, `${method} ${path}: ${reply.status} ${text}`)
    assert.ok(reply.status < 500, `${method} ${path}: ${reply.status} ${text}`)
    return {
      status: reply.status,
      text,
      body: text.startsWith('{') ? JSON.parse(text) : JSON.parse(text || '{}'),
    }
  }
}
