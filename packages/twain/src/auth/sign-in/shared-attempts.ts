// Slows down guessing over all nodes and networks (docs/internals/decisions/0090-attempt-limits.md).
//
// 1. A failure of a stranger counts for the login from the network (/24, /64), for the login from anywhere, and for the network.
// 2. A device that has signed in to the account before counts by itself. So strangers can't slow down the devices of an account's owner.
// 3. Attempts that run at the same time count in this process, before the store knows of their failure (`LoginAttempts`).
// 4. Mails and sign-ups count when they are asked for, before custom code is asked, one by one in each process.
// 5. A success writes only if there is something to clear.

import { hash } from 'node:crypto'
import { ApiError } from '#base'
import { networkOf } from '#base/http'
import type { AttemptCount, AttemptStore } from '#store'
import type { KnownDevices } from './known-devices.ts'
import type { LoginAttempt, LoginAttempts } from './login-attempts.ts'
import type { AttemptCheck } from './sign-in-check.ts'
import type { PasswordInput } from './sign-in-input.ts'

/** The settings `limits.…` of attempts; 0 means no limit. */
export interface AttemptLimits {
  /** Failures of a login from one network, or of a known device, before each further one doubles the pause. */
  signInFailures: number
  /** The same for a login from all networks together. */
  accountFailures: number
  /** Failures of a network within an hour, whatever the logins. */
  networkFailures: number
  /** Mails with codes that a network causes within an hour. */
  networkMails: number
  /** Accounts that sign-ups from one network create within an hour. */
  networkSignUps: number
}

export const defaultAttemptLimits: AttemptLimits = {
  signInFailures: 5,
  accountFailures: 20,
  networkFailures: 360,
  networkMails: 60,
  networkSignUps: 60,
}

const hourMs = 3_600_000
const maxPauseSeconds = 15 * 60
/** Of a login from all networks: its owner may have a new device. */
const maxAccountPauseSeconds = 60

export interface SharedAttempt {
  /** Earlier ones. */
  readonly failures: number
  failed(): Promise<void>
  succeeded(): Promise<void>
  /** Nothing was checked. */
  cancel(): void
}

interface SharedAttemptsOptions {
  store: AttemptStore
  /** Those of this process. */
  local: LoginAttempts
  devices: KnownDevices
  limits: AttemptLimits
  /** Custom code; null: it has no say. */
  check: AttemptCheck | null
  clock: () => number
}

/** What an attempt counts for. */
interface AttemptKey {
  key: string
  /** When an attempt is allowed again. */
  allowedAt(count: AttemptCount): number
  refillMs: number
  /** Whether a success clears it. */
  isCleared: boolean
}

export class SharedAttempts {
  readonly #options: SharedAttemptsOptions
  /** The last count of each key that is not written yet. */
  readonly #counting = new Map<string, Promise<number>>()

  constructor(options: SharedAttemptsOptions) {
    this.#options = options
  }

  /** A sign-in with a password. Throws TOO_MANY_REQUESTS, or what custom code throws. */
  async begin({ login, device, captcha }: PasswordInput, address: string): Promise<SharedAttempt> {
    const { local, devices, limits, check } = this.#options
    const known = device === null ? null : await devices.idOf(device, login)
    const network = subnetOf(address)
    const attempt = known === null ? local.begin(login, address) : local.beginInSession(`device ${known}`)
    const begun = await this.#begin(
      known === null
        ? [
            this.#pause(`login ${network} ${login}`, limits.signInFailures, maxPauseSeconds, true),
            this.#pause(`login ${login}`, limits.accountFailures, maxAccountPauseSeconds, false),
            this.#bucket(`network ${network}`, limits.networkFailures),
          ]
        : [this.#pause(`device ${known}`, limits.signInFailures, maxPauseSeconds, true)],
      attempt,
    )
    await check?.({ kind: 'signIn', login, address, failures: begun.failures, captcha }).catch((error) => {
      begun.cancel()
      throw error
    })
    return begun
  }

  /** The use of a code. Whoever tries several counts by the network, together with sign-ins. */
  beginCode(address: string): Promise<SharedAttempt> {
    return this.#begin([this.#bucket(`network ${subnetOf(address)}`, this.#options.limits.networkFailures)], null)
  }

  /** Counts a mail to somebody. Throws TOO_MANY_REQUESTS, or what custom code throws. */
  async countMail(login: string, captcha: string | null, address: string): Promise<void> {
    const { limits, check } = this.#options
    if (limits.networkMails === 0 && check === null) return
    const failures = await this.#count(
      this.#bucket(`mail ${subnetOf(address)}`, limits.networkMails),
      'Too many mails were asked for from this network.',
    )
    await check?.({ kind: 'mail', login, address, failures, captcha })
  }

  /** Counts a sign-up. Throws TOO_MANY_REQUESTS, or what custom code throws. */
  async countSignUp(login: string, captcha: string | null, address: string): Promise<void> {
    const { limits, check } = this.#options
    const { networkSignUps } = limits
    if (networkSignUps === 0 && check === null) return
    const failures = await this.#count(
      this.#bucket(`signUp ${subnetOf(address)}`, networkSignUps),
      'Too many accounts were created from this network.',
    )
    await check?.({ kind: 'signUp', login, address, failures, captcha })
  }

  /** Counts before custom code is asked, which may take long, and one by one for each key: otherwise all requests of a burst would
   *  read the same count. Returns the earlier ones. */
  async #count(key: AttemptKey, message: string): Promise<number> {
    const before = this.#counting.get(key.key)
    const counting = (async () => {
      await before?.catch(() => {})
      const attempt = await this.#begin([key], null, message)
      await attempt.failed()
      return attempt.failures
    })()
    this.#counting.set(key.key, counting)
    try {
      return await counting
    } finally {
      if (this.#counting.get(key.key) === counting) this.#counting.delete(key.key)
    }
  }

  async #begin(
    keys: readonly AttemptKey[],
    local: LoginAttempt | null,
    message = 'Too many failed attempts.',
  ): Promise<SharedAttempt> {
    const { store, clock } = this.#options
    const now = clock()
    const counts = await store.read(
      keys.map(({ key }) => key),
      now,
    )
    const until = Math.max(...keys.map(({ key, allowedAt }) => (counts.has(key) ? allowedAt(counts.get(key)!) : 0)))
    if (until > now) {
      local?.cancel()
      throw tooMany(message, until - now)
    }
    return {
      failures: counts.get(keys[0]!.key)?.failures ?? 0,
      failed: () => store.fail(keys, clock()),
      async succeeded() {
        local?.succeeded()
        const cleared = keys.filter(({ key, isCleared }) => isCleared && counts.has(key))
        if (cleared.length > 0) await store.forget(cleared.map(({ key }) => key))
      },
      cancel: () => local?.cancel(),
    }
  }

  #pause(subject: string, free: number, maxSeconds: number, isCleared: boolean): AttemptKey {
    return {
      key: keyOf(subject),
      refillMs: 0,
      isCleared,
      allowedAt: ({ failures, last }) =>
        free === 0 || failures < free ? 0 : last + 1000 * Math.min(2 ** (failures - free), maxSeconds),
    }
  }

  #bucket(subject: string, perHour: number): AttemptKey {
    const refillMs = perHour === 0 ? 0 : hourMs / perHour
    return {
      key: keyOf(subject),
      refillMs: Math.ceil(refillMs),
      isCleared: false,
      allowedAt: ({ fullAt }) => (perHour === 0 ? 0 : fullAt - hourMs + refillMs),
    }
  }
}

/** A network of IPv4 is a /24. */
function subnetOf(address: string): string {
  const network = networkOf(address)
  return /^\d+\.\d+\.\d+\.\d+$/.test(network) ? network.slice(0, network.lastIndexOf('.')) : network
}

/** The table has no logins and no addresses. */
function keyOf(subject: string): string {
  return hash('sha256', subject, 'base64url')
}

function tooMany(message: string, waitMs: number): ApiError {
  const seconds = Math.ceil(waitMs / 1000)
  return new ApiError('TOO_MANY_REQUESTS', message, {
    hint: `Try again in ${seconds} s.`,
    headers: { 'retry-after': String(seconds) },
  })
}

/** Runs what may find something wrong, and counts only that. */
export async function counted<T>(attempt: SharedAttempt, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof ApiError && error.code === 'UNAUTHENTICATED') await attempt.failed()
    throw error
  }
}
