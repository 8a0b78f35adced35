// Guessing passwords gets slow, and nobody is locked out by a stranger: failures count for a login from one address, and
// for an address; never for a login alone. Counted in this process.
//
// An attempt counts as a failure when it begins, so that many at once gain nothing.

import { ApiError, Cache, networkOf } from '#base'

/** Of one login from one address: so many failures are free, then each one doubles the wait. */
const freeFailures = 5
const longestWait = 15 * 60
/** Seconds after which it is as if nothing had been. */
const memory = 60 * 60

/** Of one address: so many failures at once, and one more every so many seconds. */
const addressBurst = 50
const addressPause = 10

interface LoginFailures {
  count: number
  /** Milliseconds; before it nothing is tried. */
  until: number
  last: number
}

/** What came of it, where it was no failure. */
export interface LoginAttempt {
  succeeded(): void
  /** It was not even tried. */
  cancel(): void
}

const none: LoginFailures = { count: 0, until: 0, last: 0 }

export class LoginAttempts {
  readonly #clock: () => number
  readonly #pairs = new Cache<string, LoginFailures>(100_000)
  /** When the address would have nothing left to its account: each failure moves it on by a pause. */
  readonly #addresses = new Cache<string, number>(100_000)

  constructor(clock: () => number) {
    this.#clock = clock
  }

  /** Throws TOO_MANY_REQUESTS. */
  begin(login: string, address: string): LoginAttempt {
    const now = this.#clock()
    const network = networkOf(address)
    const pair = `${network} ${login}`
    const failures = this.#failuresOf(pair, now)
    const filled = Math.max(this.#addresses.get(network) ?? 0, now)
    this.#refuseUntil(Math.max(failures.until, filled - (addressBurst - 1) * addressPause * 1000), now)

    const count = failures.count + 1
    const wait = count < freeFailures ? 0 : Math.min(2 ** (count - freeFailures), longestWait)
    this.#pairs.set(pair, { count, until: now + wait * 1000, last: now })
    this.#addresses.set(network, filled + addressPause * 1000)
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

  #refund(network: string): void {
    this.#addresses.set(network, (this.#addresses.get(network) ?? 0) - addressPause * 1000)
  }

  #failuresOf(pair: string, now: number): LoginFailures {
    const known = this.#pairs.get(pair)
    return known === undefined || now - known.last > memory * 1000 ? none : known
  }

  #refuseUntil(until: number, now: number): void {
    if (until <= now) return
    const seconds = Math.ceil((until - now) / 1000)
    throw new ApiError('TOO_MANY_REQUESTS', 'Too many attempts to sign in.', {
      hint: `Try again in ${seconds} s.`,
      headers: { 'retry-after': String(seconds) },
    })
  }
}
