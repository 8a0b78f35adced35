// Somebody signs in, uses the token and renews the session until it ends.

import assert from 'node:assert/strict'
import { type Act, day, hour, type LifePart, minute, second, type World } from '../world.ts'

const accessTokenMs = 900 * second
const [idleDays, maxDays] = [6, 15]

/** How long sessions last. */
export const sessionFlags = ['--auth-session-idle-days', String(idleDays), '--auth-session-max-days', String(maxDays)]

interface Session {
  access: string
  refresh: string
  signedInAt: number
  renewedAt: number
  /** Those of the world then. */
  jumps: number
  backward: number
}

const credentials = { email: 'ann@example.org', password: 'the wind in the sails' }

export class People implements LifePart {
  readonly acts: readonly Act[]
  readonly rare: readonly Act[]
  readonly #sessions: Session[] = []
  #hasSignedUp = false
  readonly #world: World

  constructor(world: World) {
    this.#world = world
    this.acts = [() => this.#useToken(), () => this.#renew()]
    this.rare = [() => this.#signIn()]
  }

  async #signIn(): Promise<void> {
    if (!this.#hasSignedUp) await this.#world.request('POST', '/users', credentials, 201)
    this.#hasSignedUp = true
    const { body } = await this.#world.request('POST', '/tokens', credentials, 201)
    const { elapsed, jumps, backward } = this.#world
    const times = { signedInAt: elapsed, renewedAt: elapsed, jumps, backward }
    this.#sessions.push({ access: body.token, refresh: body.refreshToken, ...times })
  }

  async #useToken(): Promise<void> {
    const session = this.#world.random.find(this.#sessions, () => true)
    if (session === undefined) return
    const authorization = `Bearer ${session.access}`
    const { status } = await this.#world.request('GET', '/users', undefined, undefined, { authorization })
    const age = this.#world.elapsed - session.renewedAt
    this.#expect(session, age, accessTokenMs, status === 200, 'an access token')
  }

  /** What has ended is looked at once more, and then forgotten. */
  async #renew(): Promise<void> {
    const session = this.#world.random.find(this.#sessions, () => true)
    if (session === undefined) return
    const { elapsed } = this.#world
    const { status, body } = await this.#world.request('POST', '/tokens', { refreshToken: session.refresh })
    const idleEnd = session.renewedAt + idleDays * day
    const end = Math.min(idleEnd, session.signedInAt + maxDays * day)
    this.#expect(session, elapsed, end, status === 201, `a session of ${(elapsed - session.signedInAt) / hour} h`)
    if (status !== 201) return void this.#sessions.splice(this.#sessions.indexOf(session), 1)
    Object.assign(session, { access: body.token, refresh: body.refreshToken, renewedAt: elapsed })
  }

  /** Tokens end by the clock: not too early if it has not jumped since then, and not too late if it was not set back. */
  #expect({ jumps, backward }: Session, age: number, end: number, isValid: boolean, what: string): void {
    if (age < end - second && jumps === this.#world.jumps) assert.ok(isValid, `${what} has ended too early`)
    if (age > end + second && backward === this.#world.backward)
      assert.ok(!isValid, `${what} is still valid ${(age - end) / minute} minutes later`)
  }
}
