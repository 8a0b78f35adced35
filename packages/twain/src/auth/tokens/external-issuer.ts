// Verifies tokens of an external issuer. Twain fetches its keys from `auth.jwks` when the first token of the issuer arrives. It
// caches them for ten minutes, refetches for an unknown `kid` at most every 30 s, and waits 10 s after a failure. Only
// public-key algorithms are accepted: with HMAC, everybody who knows the public keys could sign.

import type { JWTPayload, JWTVerifyGetKey } from 'jose'
import { ApiError, canonicalLogin } from '#base'
import { invalidToken } from '../auth-errors.ts'
import type { AuthSettings } from '../settings.ts'

export interface ExternalIdentity {
  /** As written in the claim. */
  claimedLogin: string
  /** Its canonical form. */
  login: string
  /** Null: the roles of the account apply. */
  roles: string[] | null
  id: string | null
  claims: JWTPayload
  /** Milliseconds since 1970. */
  expires: number
}

const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
const retryDelayMs = 10_000
const maxKeySetBytes = 256 * 1024

export class ExternalIssuer {
  readonly issuer: string
  readonly #settings: AuthSettings
  readonly #clock: () => number
  readonly #jwks: URL
  #keys: JWTVerifyGetKey | null = null
  #failedAt = -retryDelayMs

  /** Null if no external issuer is configured. */
  static of(settings: AuthSettings, clock: () => number): ExternalIssuer | null {
    const { issuer, jwks } = settings
    return issuer === null || jwks === null ? null : new ExternalIssuer(settings, issuer, new URL(jwks), clock)
  }

  private constructor(settings: AuthSettings, issuer: string, jwks: URL, clock: () => number) {
    this.issuer = issuer
    this.#settings = settings
    this.#clock = clock
    this.#jwks = jwks
  }

  async verify(text: string): Promise<ExternalIdentity> {
    const { accountClaim, rolesClaim, audience } = this.#settings
    const claims = await this.#claims(text, audience!)
    const login = claimOf(claims, accountClaim)
    // An issuer may let people enter any address. Only a verified one identifies an account here.
    const isUnverified =
      accountClaim === 'email' && claims.email_verified !== undefined && claims.email_verified !== true
    if (typeof login !== 'string' || login === '' || isUnverified) throw invalidToken()
    return {
      claimedLogin: login,
      login: canonicalLogin(login),
      roles: rolesClaim === null ? null : rolesOf(claimOf(claims, rolesClaim)),
      id: claims.jti ?? null,
      claims,
      expires: claims.exp! * 1000,
    }
  }

  async #claims(text: string, audience: string): Promise<JWTPayload> {
    const { createRemoteJWKSet, customFetch, errors, jwtVerify } = await import('jose')
    this.#keys ??= createRemoteJWKSet(this.#jwks, {
      cooldownDuration: 30_000,
      cacheMaxAge: 600_000,
      timeoutDuration: 5000,
      [customFetch]: (url: string, options: RequestInit) => this.#fetch(url, options),
    })
    try {
      const { payload } = await jwtVerify(text, this.#keys, {
        algorithms,
        issuer: this.issuer,
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

  async #fetch(url: string, options: RequestInit): Promise<Response> {
    if (this.#clock() - this.#failedAt < retryDelayMs) throw unreachableKeys()
    try {
      const response = await fetch(url, options)
      if (!response.ok) throw new Error(`${url} answered ${response.status}`)
      return new Response(await readBounded(response))
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

async function readBounded(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > maxKeySetBytes) throw new Error('the key set is too large')
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
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
