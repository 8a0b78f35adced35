// Which pages of other origins may read our answers (the Fetch standard, 3.2). Who asks is told by `authorization`, which a
// browser never adds by itself, so nothing here is ever granted with credentials.

import type { HttpReply, HttpRequest } from '#base'

/** What a page may read beside the few header fields that it always may. */
const exposed =
  'Accept-Patch, Allow, Content-Length, Deprecation, ETag, Idempotent-Replayed, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, ' +
  'Retry-After, Server-Timing, Sunset, WWW-Authenticate, X-Request-Id, X-Total-Count'

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

/** Seconds that a browser may remember a grant; more than two hours no browser keeps it. */
const remembered = '7200'

export class Cors {
  readonly #all: boolean
  readonly #local: boolean
  readonly #origins: ReadonlySet<string>

  constructor(setting: string) {
    const origins = originsOf(setting)
    this.#all = origins.includes('*')
    this.#local = origins.includes('localhost')
    this.#origins = new Set(origins)
  }

  /** The answer to a preflight of an origin that may come; null: it is none, or the door answers it without a grant. */
  preflight({ method, headers }: HttpRequest): HttpReply | null {
    if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return null
    const granted = this.#granted(headers.origin)
    if (granted === null) return null
    const wanted = headers['access-control-request-headers']
    return {
      status: 204,
      headers: {
        'access-control-allow-methods': methods,
        ...(wanted === undefined ? {} : { 'access-control-allow-headers': wanted }),
        'access-control-max-age': remembered,
        vary: 'access-control-request-method, access-control-request-headers',
      },
      body: null,
    }
  }

  /** Header fields of every answer, as a flat list. */
  fields({ headers }: HttpRequest): readonly string[] {
    const granted = this.#granted(headers.origin)
    const vary = this.#all ? [] : ['vary', 'origin'] // also where nothing is granted: to another origin it would be
    if (granted === null) return vary
    return [...vary, 'access-control-allow-origin', granted, 'access-control-expose-headers', exposed]
  }

  /** Whether pages of this origin may read answers. */
  admits(origin: string): boolean {
    return this.#granted(origin) !== null
  }

  #granted(origin: string | undefined): string | null {
    if (origin === undefined) return null
    if (this.#all) return '*'
    return this.#origins.has(origin) || (this.#local && localOrigin.test(origin)) ? origin : null
  }
}

const localOrigin = /^https?:\/\/(?:(?:[\w-]+\.)*localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/

/** A sentence about what is no origin in the setting. */
export function corsMistake(setting: string | null): string | null {
  const wrong = setting === null ? [] : originsOf(setting).filter((origin) => !isOrigin(origin))
  if (wrong.length === 0) return null
  return `http.cors wants origins such as https://app.example.org, divided by commas, or * or localhost; "${wrong.join('", "')}" is none.`
}

function isOrigin(text: string): boolean {
  if (text === '*' || text === 'localhost') return true
  return URL.canParse(text) && new URL(text).origin === text
}

function originsOf(setting: string): string[] {
  return setting.split(',').map((origin) => origin.trim())
}
