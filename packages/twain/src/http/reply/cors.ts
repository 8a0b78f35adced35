// CORS (the Fetch standard, 3.2): which pages of other origins may read responses. Clients authenticate with `authorization`,
// which a browser never adds by itself, so no grant includes credentials.

import type { HttpReply, HttpRequest } from '#base/http'

/** Response headers that a page may read beside the CORS-safelisted ones: all that the OpenAPI document describes. */
const exposed =
  'Accept, Accept-Patch, Accept-Ranges, Allow, Content-Disposition, Content-Length, Content-Location, Content-Range, Deprecation, ' +
  'ETag, Idempotent-Replayed, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, Server-Timing, ' +
  'Sunset, WWW-Authenticate, X-Failed-Fields, X-Request-Id, X-Total-Count'

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

/** How long a browser may cache a preflight; no browser caches it for more than two hours. */
const preflightMaxAgeSeconds = '7200'

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

  /** The reply to a preflight of an allowed origin. Null: it is no preflight, or the API answers it without a grant. */
  preflight({ method, headers }: HttpRequest): HttpReply | null {
    if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return null
    const granted = this.#granted(headers.origin)
    if (granted === null) return null
    const requestedHeaders = headers['access-control-request-headers']
    return {
      status: 204,
      headers: {
        'access-control-allow-methods': methods,
        ...(requestedHeaders === undefined ? {} : { 'access-control-allow-headers': requestedHeaders }),
        'access-control-max-age': preflightMaxAgeSeconds,
        vary: 'access-control-request-method, access-control-request-headers',
      },
      body: null,
    }
  }

  /** The CORS header fields of a response, as a flat list of names and values. */
  fields({ headers }: HttpRequest): readonly string[] {
    const granted = this.#granted(headers.origin)
    const vary = this.#all ? [] : ['vary', 'origin'] // also without a grant: another origin may get one
    if (granted === null) return vary
    return [...vary, 'access-control-allow-origin', granted, 'access-control-expose-headers', exposed]
  }

  /** Whether pages of this origin may read responses. */
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

/** A message about invalid origins in the setting; null if all are valid. */
export function corsMistake(setting: string | null): string | null {
  const wrong = setting === null ? [] : originsOf(setting).filter((origin) => !isOrigin(origin))
  if (wrong.length === 0) return null
  return `http.cors must list origins such as https://app.example.org, separated by commas, or * or localhost, not "${wrong.join('", "')}".`
}

function isOrigin(text: string): boolean {
  if (text === '*' || text === 'localhost') return true
  return URL.canParse(text) && new URL(text).origin === text
}

function originsOf(setting: string): string[] {
  return setting.split(',').map((origin) => origin.trim())
}
