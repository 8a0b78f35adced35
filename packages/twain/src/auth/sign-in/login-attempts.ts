// Slows down password guessing. Failures of a sign-in count per login and address, and per address; never per login alone, so
// that nobody can lock out somebody else. Failures of a signed-in viewer count per session. The counts are those of this process.
//
// An attempt counts as a failure from its start, so that parallel attempts gain nothing.

import { ApiError, Cache, CacheBudget } from '#base'
import { networkOf } from '#base/http'

const maxWaitSeconds = 15 * 60
const forgetAfterSeconds = 60 * 60

/** A token bucket for each address: its size, and the interval at which it regains one attempt. */
const addressBurst = 50
const addressRefillSeconds = 10

interface LoginFailures {
  count: number
  /** Milliseconds since 1970; attempts before it are refused. */
  until: number
  last: number
}

/** Corrects the count if the attempt did not fail. */
export interface LoginAttempt {
  succeeded(): void
  /** The password was not checked. */
  cancel(): void
}

/** Of the counts of logins, and of those of addresses: other caches can't displace them. */
const maxBytes = 16_777_216
const bytes = () => 100

const none: LoginFailures = { count: 0, until: 0, last: 0 }

export class LoginAttempts {
  readonly #clock: () => number
  readonly #pairs = new Cache<string, LoginFailures>({
    name: 'login_attempts',
    budget: new CacheBudget(maxBytes),
    bytes,
  })
  /** The time at which the bucket of an address is full again: each failure postpones it by one refill interval. */
  readonly #addresses = new Cache<string, number>({ name: 'login_attempts', budget: new CacheBudget(maxBytes), bytes })

  /** For one login from one address: after this many failures, each further one doubles the wait. 0: none does. */
  readonly #freeFailures: number
  readonly #countsAddresses: boolean

  constructor(clock: () => number, { signInFailures = 5, networkFailures = 1 } = {}) {
    this.#clock = clock
    this.#freeFailures = signInFailures
    this.#countsAddresses = networkFailures > 0
  }

  /** A sign-in. Throws TOO_MANY_REQUESTS. */
  begin(login: string, address: string): LoginAttempt {
    const network = networkOf(address)
    return this.#begin(`${network} ${login}`, this.#countsAddresses ? network : null)
  }

  /** A password that a signed-in viewer sends to confirm a change. Throws TOO_MANY_REQUESTS. */
  beginInSession(session: string): LoginAttempt {
    return this.#begin(`session ${session}`, null)
  }

  #begin(pair: string, network: string | null): LoginAttempt {
    const now = this.#clock()
    const failures = this.#failuresOf(pair, now)
    const fullAt = Math.max(network === null ? 0 : (this.#addresses.get(network) ?? 0), now)
    this.#refuseUntil(Math.max(failures.until, fullAt - (addressBurst - 1) * addressRefillSeconds * 1000), now)

    const count = failures.count + 1
    const free = this.#freeFailures
    const wait = free === 0 || count < free ? 0 : Math.min(2 ** (count - free), maxWaitSeconds)
    this.#pairs.set(pair, { count, until: now + wait * 1000, last: now })
    if (network !== null) this.#addresses.set(network, fullAt + addressRefillSeconds * 1000)
    return {
      succeeded: () => {
        this.#pairs.set(pair, none)
        this.#refund(network)
      },
      cancel: () => {
        const { count, until, last } = this.#failuresOf(pair, now)
        this.#pairs.set(pair, { count: Math.max(0, count - 1), until, last })
        this.#refund(network)
      },
    }
  }

  #refund(network: string | null): void {
    if (network === null) return
    this.#addresses.set(network, (this.#addresses.get(network) ?? 0) - addressRefillSeconds * 1000)
  }

  #failuresOf(pair: string, now: number): LoginFailures {
    const failures = this.#pairs.get(pair)
    return failures === undefined || now - failures.last > forgetAfterSeconds * 1000 ? none : failures
  }

  #refuseUntil(until: number, now: number): void {
    if (until <= now) return
    const seconds = Math.ceil((until - now) / 1000)
    throw new ApiError('TOO_MANY_REQUESTS', 'Too many wrong passwords.', {
      hint: `Try again in ${seconds} s.`,
      headers: { 'retry-after': String(seconds) },
    })
  }
}
