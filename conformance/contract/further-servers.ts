// Further servers of one schema, in this process and each on data of its own: with another clock, short times or a small quota.

import { dirname } from 'node:path'
import type { TestContext } from 'node:test'
import { RateLimit } from '../../packages/twain/src/http/index.ts'
import { TestService } from '../harness/test-service.ts'
import { type AccountType, type Clients, clientsOf, printed } from './clients.ts'

type Options = NonNullable<Parameters<typeof TestService.open>[2]>

interface FurtherServer extends Clients {
  service: TestService
}

/** A clock that stands still until a check sets it forward. */
export class StoppedClock {
  #time = Date.now()
  readonly now = () => this.#time

  pass(milliseconds: number): void {
    this.#time += milliseconds
  }
}

/** More requests than the limited server answers to one client. */
export const overQuota = 5

export class FurtherServers {
  readonly #t: TestContext
  readonly #sdl: string
  readonly #code: string
  readonly #account: AccountType
  #limited: Promise<FurtherServer> | null = null
  #stopped: Promise<FurtherServer & { clock: StoppedClock }> | null = null

  constructor(t: TestContext, sdl: string, code: string, account: AccountType) {
    this.#t = t
    this.#sdl = sdl
    this.#code = code
    this.#account = account
  }

  async open(options: Options): Promise<FurtherServer> {
    const service = await TestService.open(this.#t, this.#sdl, { code: this.#code, ...options })
    const key = await printed('key', '--role', 'admin', '--data', dirname(service.schemaFile))
    return { ...clientsOf(service.address, this.#account, key), service }
  }

  /** A small quota, 50 ms for each part of a body and two seconds for a request. */
  limited(): Promise<FurtherServer> {
    const listening = { time: 2, timeouts: { headers: 10_000, body: 50 } }
    this.#limited ??= this.open({ rate: new RateLimit(overQuota - 2), listening })
    return this.#limited
  }

  withStoppedClock(): Promise<FurtherServer & { clock: StoppedClock }> {
    this.#stopped ??= this.#openStopped()
    return this.#stopped
  }

  async #openStopped(): Promise<FurtherServer & { clock: StoppedClock }> {
    const clock = new StoppedClock()
    return { ...(await this.open({ clock: clock.now })), clock }
  }
}
