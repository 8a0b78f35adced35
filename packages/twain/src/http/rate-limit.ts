// How many requests one viewer, or one address, may make in a minute, and what is told of it (draft-ietf-httpapi-ratelimit-headers).
//
// GCRA: of each key only one number is kept, the time at which all that it has used would be there again. Each request moves
// it on by its share of a minute; one that would move it more than a minute ahead is refused, and moves nothing. So a quiet
// client has its whole quota at once, and a steady one never meets a border between two minutes.
//
// 1. A key whose time has come is as good as none, so what was not touched for a minute can be forgotten.
// 2. Memory is bounded: a flood of keys makes the oldest be forgotten early, which only ever gives, and never takes.

import { ApiError } from '#base'

const minute = 60_000

export class RateLimit {
  /** What holds, for the header `RateLimit-Policy`. */
  readonly policy: string
  readonly #interval: number
  readonly #clock: () => number
  readonly #mostKeys: number
  /** Two generations: who is seen moves into the young one; when that is a minute old, the old one is dropped whole. */
  #young = new Map<string, number>()
  #old = new Map<string, number>()
  #since: number

  /** `clock` gives milliseconds. */
  constructor(perMinute: number, clock: () => number = () => performance.now(), mostKeys = 100_000) {
    this.policy = `"default";q=${perMinute};w=60`
    this.#interval = minute / perMinute
    this.#clock = clock
    this.#mostKeys = mostKeys
    this.#since = clock()
  }

  /** Counts a request, or several as one, and gives the value of the header `RateLimit`. Throws TOO_MANY_REQUESTS. */
  take(key: string, requests = 1): string {
    const now = this.#clock()
    const used = Math.max(this.#young.get(key) ?? this.#old.get(key) ?? 0, now)
    const next = used + requests * this.#interval
    const ahead = next - now
    if (ahead > minute + 0.001) throw this.#refusal(ahead - minute, used - now)
    if (this.#young.size >= this.#mostKeys || now - this.#since > minute) this.#turn(now)
    this.#young.set(key, next)
    return `"default";r=${Math.floor((minute - ahead) / this.#interval + 0.001)};t=${Math.ceil(ahead / 1000 - 0.001)}`
  }

  /** A request turned out to be so many more: counts them as `take` does. Throws BAD_REQUEST where a whole minute is too short. */
  takeMore(key: string, requests: number): string {
    const quota = Math.round(minute / this.#interval)
    if (requests + 1 > quota) {
      throw new ApiError(
        'BAD_REQUEST',
        `These are ${requests + 1} requests in one; ${quota} in a minute are allowed.`,
        {
          hint: 'Send fewer at once. The setting limits.requestsPerMinute says how many there may be.',
        },
      )
    }
    return this.take(key, requests)
  }

  /** How many keys are remembered. */
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
    const quota = Math.round(minute / this.#interval)
    return new ApiError('TOO_MANY_REQUESTS', `More than ${quota} requests in a minute.`, {
      hint: `Try again in ${seconds} s. The setting limits.requestsPerMinute says how many there may be.`,
      headers: {
        'retry-after': String(seconds),
        ratelimit: `"default";r=0;t=${Math.ceil(full / 1000)}`,
        'ratelimit-policy': this.policy,
      },
    })
  }
}
