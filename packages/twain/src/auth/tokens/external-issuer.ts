// Verifies tokens of an external issuer. Twain fetches its keys from its `jwks` when the first token of the issuer arrives. It
// caches them for ten minutes, refetches for an unknown `kid` at most every 30 s, and waits 10 s after a failure. Only
// public-key algorithms are accepted: with HMAC, everybody who knows the public keys could sign.

import type { JWTPayload, JWTVerifyGetKey } from 'jose'
import { ApiError } from '#base'
import type { ViewerClaims } from '#base/http'
import { invalidToken, unverifiedAddress } from '../auth-errors.ts'
import type { IssuerSettings } from '../issuer-settings.ts'
import { readBounded } from './read-bounded.ts'
import { timeOf } from './signed-tokens.ts'

/** What a verified token of an external issuer says. The pair of `issuer` and `subject` identifies its bearer. */
export interface ExternalIdentity {
  issuer: string
  /** The exact value of the claim that `accountClaim` names. */
  subject: string
  /** The address that the issuer has verified, as written in `email`; null without one. */
  address: string | null
  /** Null: the roles of the account apply. */
  roles: string[] | null
  /** When the issuer authenticated the person (`auth_time`), in milliseconds since 1970. */
  signedInAt: number | null
  id: string | null
  /** Those that a new account may take its values from, by their names. */
  claims: Readonly<Record<string, unknown>>
  /** Those that access rules and defaults name. Absent in a ticket of an earlier version. */
  named?: ViewerClaims
  /** Milliseconds since 1970. */
  expires: number
}

const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
const retryDelayMs = 10_000
const keepKeysMs = 10 * 60_000
const maxKeySetBytes = 256 * 1024

/** The claims of its tokens that the schema file uses. No other one is kept. */
export interface UsedClaims {
  /** By access rules and defaults: names or paths. */
  named: readonly string[]
  /** By new accounts: the names of fields. */
  ofAccounts: readonly string[]
}

const noClaims: UsedClaims = { named: [], ofAccounts: [] }

export class ExternalIssuer {
  readonly settings: IssuerSettings
  readonly #clock: () => number
  readonly #used: UsedClaims
  #keys: JWTVerifyGetKey | null = null
  #failedAt = -retryDelayMs
  #keysSince = 0

  constructor(settings: IssuerSettings, clock: () => number, used: UsedClaims = noClaims) {
    this.settings = settings
    this.#used = used
    this.#clock = clock
  }

  async verify(text: string): Promise<ExternalIdentity> {
    const { issuer, accountClaim, rolesClaim } = this.settings
    const claims = await this.#claims(text)
    const subject = claimOf(claims, accountClaim)
    if (!isSubject(subject)) throw invalidToken()
    // An issuer may let people enter any address. Such an address identifies nobody.
    const { email, email_verified: verified } = claims
    if (accountClaim === 'email' && verified !== undefined && verified !== true) throw unverifiedAddress()
    return {
      issuer,
      subject,
      address: verified === true && isSubject(email) ? email : null,
      roles: rolesClaim === null ? null : rolesOf(claimOf(claims, rolesClaim)),
      signedInAt: timeOf(claims.auth_time),
      id: claims.jti ?? null,
      claims: ownClaims(claims, this.#used.ofAccounts),
      ...namedClaims(claims, this.#used.named),
      expires: claims.exp! * 1000,
    }
  }

  async #claims(text: string): Promise<JWTPayload> {
    const { issuer, audience } = this.settings
    const { errors, jwtVerify } = await import('jose')
    try {
      const { payload } = await jwtVerify(text, await this.#keySet(), {
        algorithms,
        issuer,
        audience,
        requiredClaims: ['exp'],
        currentDate: new Date(this.#clock()),
      })
      return payload
    } catch (cause) {
      if (cause instanceof ApiError) throw cause
      if (cause instanceof errors.JWKSTimeout) throw unreachableKeys(cause)
      throw invalidToken(cause)
    }
  }

  async #keySet(): Promise<JWTVerifyGetKey> {
    const { createRemoteJWKSet, customFetch } = await import('jose')
    const now = this.#clock()
    if (this.#keys !== null && now - this.#keysSince < keepKeysMs) return this.#keys
    this.#keysSince = now
    this.#keys = createRemoteJWKSet(new URL(this.settings.jwks), {
      cooldownDuration: 30_000,
      // Its own age of the keys goes by the system clock, which may be set back.
      cacheMaxAge: Number.POSITIVE_INFINITY,
      timeoutDuration: 5000,
      [customFetch]: (url: string, options: RequestInit) => this.#fetch(url, options),
    })
    return this.#keys
  }

  async #fetch(url: string, options: RequestInit): Promise<Response> {
    if (this.#clock() - this.#failedAt < retryDelayMs) throw unreachableKeys()
    try {
      const response = await fetch(url, options)
      if (!response.ok) throw new Error(`${url} answered ${response.status}`)
      return new Response(await readBounded(response, maxKeySetBytes))
    } catch (cause) {
      this.#failedAt = this.#clock()
      throw unreachableKeys(cause)
    }
  }
}

/** The token may be valid, but it can't be verified now. */
function unreachableKeys(cause?: unknown): ApiError {
  return new ApiError('UNAVAILABLE', 'The keys of the external issuer are unavailable.', {
    headers: { 'retry-after': String(retryDelayMs / 1000) },
    cause,
  })
}

const maxSubjectLength = 1024

/** Databases change a text with a lone surrogate, and PostgreSQL refuses NUL: two subjects could become one. */
export function isSubject(claim: unknown): claim is string {
  if (typeof claim !== 'string' || claim === '' || claim.length > maxSubjectLength) return false
  return claim.isWellFormed() && !claim.includes('\0')
}

function ownClaims(claims: JWTPayload, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => Object.hasOwn(claims, name)).map((name) => [name, claims[name]]))
}

function namedClaims(claims: JWTPayload, names: readonly string[]): Pick<ExternalIdentity, 'named'> {
  const found = names.flatMap((name) => {
    const value = claimOf(claims, name)
    return value === undefined || value === null ? [] : [[name, value] as const]
  })
  if (found.length === 0) return {}
  return { named: { values: Object.fromEntries(found), key: JSON.stringify(found) } }
}

/** A claim by its name or its path: `realm_access.roles`. */
function claimOf(claims: JWTPayload, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let at: unknown = claims
  for (const part of name.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined
    at = (at as Record<string, unknown>)[part]
  }
  return at
}

/** A list, or one string separated by spaces like an OAuth scope. */
function rolesOf(claim: unknown): string[] {
  if (typeof claim === 'string') return claim.split(' ').filter((role) => role !== '')
  return Array.isArray(claim) ? claim.filter((role) => typeof role === 'string') : []
}
