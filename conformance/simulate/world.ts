// The world of one simulated life: its server, its time, its random choices, and what people do with requests.

import assert from 'node:assert/strict'
import { Random } from './random.ts'
import { SimulatedServer } from './simulated-server.ts'

export const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]

/** The process notices less than this late that time has passed. Longer steps of time are pauses of the process. */
export const shortStep = 6 * hour

export type Act = () => Promise<void>

export interface Period {
  from: number
  to: number
}

/** Something that people do with the service, and what they may expect of it. */
export interface LifePart {
  /** What they do; time stands still meanwhile. The more often an act is listed, the more often it is done. */
  acts: readonly Act[]
  /** What they do rarely; it may take its time. */
  rare?: readonly Act[]
  /** What a wrong clock may have destroyed. */
  looks?: readonly Act[]
  /** Some days after the last act: nothing may be missing. */
  checkKept?(): Promise<void>
  /** Weeks later: nothing may be left. */
  checkGone?(): Promise<void>
}

/** What some answer has of these. */
interface Answer {
  id: string
  token: string
  refreshToken: string
}

export interface Reply {
  status: number
  text: string
  body: Answer
}

export class World {
  readonly server: SimulatedServer
  readonly random: Random
  readonly folder: string
  /** Whether its clock is ever wrong. */
  readonly hasJumps: boolean
  readonly retention: number
  /** When no server ran, or it was frozen or asleep. */
  readonly pauses: Period[] = []
  jumps = 0
  /** Jumps backward and new processes: a steady clock knows nothing of the time before. */
  backward = 0
  kills = 0
  requests = 0
  /** Since when the clock was right and the process ran. */
  steadySince = 0
  lastStep = 0
  /** The last requests. */
  readonly #told: string[] = []
  /** How time passed. */
  readonly #passed: string[] = []

  /** `begin`: the time when it begins. */
  constructor(seed: number, folder: string, begin: number, flags: readonly string[]) {
    this.random = new Random(seed)
    this.folder = folder
    this.hasJumps = seed % 2 === 0
    this.retention = this.random.pick([1, 3, 7]) * day
    const events = ['--events-retention-seconds', String(this.retention / second)]
    const log = ['--log-slow-query-ms', '0', '--log-level', 'warn']
    this.server = new SimulatedServer(folder, [...events, ...log, ...flags], seed, begin)
  }

  get elapsed(): number {
    return this.server.elapsed
  }

  async advance(length: number, asleep = false): Promise<void> {
    const from = this.elapsed
    await this.server.advance(length, { asleep })
    this.lastStep = length
    if (asleep || length > shortStep) this.pauses.push({ from, to: this.elapsed })
  }

  async jumpBy(length: number): Promise<void> {
    this.jumps++
    if (length < 0) this.backward++
    await this.server.advance(0, { jump: length })
    this.steadySince = this.elapsed
  }

  /** `jump`: how the clock is set meanwhile. */
  async restart(signal: 'SIGKILL' | 'SIGTERM', pause: number, jump = 0): Promise<void> {
    const from = this.elapsed
    await this.server.kill(signal)
    this.server.sleep(pause)
    this.server.wall += jump
    this.kills++
    this.backward++
    await this.server.start()
    this.pauses.push({ from, to: this.elapsed })
    this.steadySince = this.elapsed
  }

  tellTime(what: string): void {
    this.#passed.push(this.#at(what))
  }

  /** What happened last, for the message of a failure. */
  story(): string {
    return [...this.#passed.slice(-40), '', ...this.#told, '', this.server.output.slice(-2000)].join('\n')
  }

  #at(what: string): string {
    const { elapsed, wall } = this.server
    return `day ${(elapsed / day).toFixed(3)} (${new Date(wall).toISOString()}) ${what}`
  }

  /** Fails if the answer is an error of the server, or has another status than `expected`. */
  async request(
    method: string,
    path: string,
    body?: object,
    expected?: number,
    more: Record<string, string> = {},
  ): Promise<Reply> {
    this.requests++
    const headers = { 'content-type': 'application/json', accept: 'application/json', ...more }
    const reply = await fetch(`${this.server.address}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    this.#told.push(this.#at(`${method} ${path}: ${reply.status}`))
    if (this.#told.length > 15) this.#told.shift()
    if (expected !== undefined) assert.equal(reply.status, expected, `${method} ${path}: ${reply.status} ${text}`)
    assert.ok(reply.status < 500, `${method} ${path}: ${reply.status} ${text}`)
    return { status: reply.status, text, body: JSON.parse(text || '{}') }
  }

  /** The rows of a GET. */
  async list<T>(path: string): Promise<T[]> {
    return JSON.parse((await this.request('GET', path, undefined, 200)).text) as T[]
  }
}
