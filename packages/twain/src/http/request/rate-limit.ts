// The rate limit of a viewer or an address, in requests per minute (draft-ietf-httpapi-ratelimit-headers).
//
// GCRA: each key has one number, the time at which its quota is full again. Each request adds its share of a minute. A request
// that would move the time more than a minute ahead is refused and adds nothing. So an idle client can use its whole quota at
// once, and there is no boundary between two windows.
//
// 1. A key whose time has passed equals an unknown key, so a key that was not used for a minute can be dropped.
// 2. Memory is bounded: a flood of keys drops the oldest keys early, which only ever allows more requests.

import { ApiError } from '#base'
import { monotonicTime } from '#base/time'

const minuteMs = 60_000

export class RateLimit {
  /** The value of the header `RateLimit-Policy`. */
  readonly policy: string
  readonly #interval: number
  readonly #clock: () => number
  readonly #maxKeyCount: number
  /** Two generations: a used key moves to the young one. When that is a minute old, it replaces the old one. */
  #young = new Map<string, number>()
  #old = new Map<string, number>()
  #since: number

  /** `clock` returns milliseconds. */
  constructor(perMinute: number, clock: () => number = () => monotonicTime(), maxKeyCount = 100_000) {
    this.policy = `"default";q=${perMinute};w=60`
    this.#interval = minuteMs / perMinute
    this.#clock = clock
    this.#maxKeyCount = maxKeyCount
    this.#since = clock()
  }

  /** Counts one or several requests and returns the value of the header `RateLimit`. Throws TOO_MANY_REQUESTS. */
  take(key: string, requests = 1): string {
    const now = this.#clock()
    const used = Math.max(this.#young.get(key) ?? this.#old.get(key) ?? 0, now)
    const next = used + requests * this.#interval
    const ahead = next - now
    if (ahead > minuteMs + 0.001) throw this.#refusal(ahead - minuteMs, used - now)
    if (this.#young.size >= this.#maxKeyCount || now - this.#since > minuteMs) this.#turn(now)
    this.#young.set(key, next)
    return `"default";r=${Math.floor((minuteMs - ahead) / this.#interval + 0.001)};t=${Math.ceil(ahead / 1000 - 0.001)}`
  }

  /** Counts further requests that one HTTP request contains. Throws TOO_MANY_REQUESTS, or BAD_REQUEST if they exceed the quota. */
  takeMore(key: string, requests: number): string {
    const quota = Math.round(minuteMs / this.#interval)
    if (requests + 1 > quota) {
      throw new ApiError(
        'BAD_REQUEST',
        `One HTTP request contains ${requests + 1} operations; the rate limit is ${quota} per minute.`,
        {
          hint: 'Send fewer operations at once. The setting limits.requestsPerMinute is the rate limit.',
        },
      )
    }
    return this.take(key, requests)
  }

  /** The number of stored keys. */
  get size(): number {
    return this.#young.size + this.#old.size
  }

  #turn(now: number): void {
    this.#old = this.#young
    this.#young = new Map()
    this.#since = now
  }

  #refusal(wait: number, full: number): ApiError {
    const seconds = Math.max(1, Math.ceil(wait / 1000))
    const quota = Math.round(minuteMs / this.#interval)
    return new ApiError('TOO_MANY_REQUESTS', `More than ${quota} requests in a minute.`, {
      hint: `Try again in ${seconds} s. The setting limits.requestsPerMinute is the rate limit.`,
      headers: {
        'retry-after': String(seconds),
        ratelimit: `"default";r=0;t=${Math.ceil(full / 1000)}`,
        'ratelimit-policy': this.policy,
      },
    })
  }
}
