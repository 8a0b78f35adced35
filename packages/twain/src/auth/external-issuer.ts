// Tokens of another issuer, taken by configuration. Its keys are fetched from the one address that the settings name, when
// a token that says to be its asks for them: kept ten minutes, asked for again for an unknown `kid` at most every 30 s, and
// after a failure not for 10 s. Only public-key algorithms count: the issuer's keys are public, and with HMAC everybody could
// sign with them.

import type { JWTPayload, JWTVerifyGetKey } from 'jose'
import { ApiError, canonicalLogin } from '#base'
import { invalidToken } from './auth-errors.ts'
import type { AuthSettings } from './settings.ts'

export interface ExternalIdentity {
  /** As the claim has it. */
  claimedLogin: string
  /** Its canonical form. */
  login: string
  /** Null: the account's own count. */
  roles: string[] | null
  id: string | null
  claims: JWTPayload
  /** Milliseconds. */
  expires: number
}

const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
const pause = 10_000
const mostBytes = 256 * 1024

export class ExternalIssuer {
  readonly issuer: string
  readonly #settings: AuthSettings
  readonly #clock: () => number
  readonly #jwks: URL
  #keys: JWTVerifyGetKey | null = null
  #failed = -pause

  /** Null when no other issuer is configured. */
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
    // Who may write any address into an account elsewhere must not get the one of that name here.
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
    if (this.#clock() - this.#failed < pause) throw unreachableKeys()
    try {
      const reply = await fetch(url, options)
      if (!reply.ok) throw new Error(`${url} answered ${reply.status}`)
      return new Response(await readBounded(reply))
    } catch (cause) {
      this.#failed = this.#clock()
      throw unreachableKeys(cause)
    }
  }
}

/** The token may be good: that can't be said just now. */
function unreachableKeys(cause?: unknown): ApiError {
  return new ApiError('UNAVAILABLE', "The keys of the tokens' issuer can't be had just now.", {
    headers: { 'retry-after': String(pause / 1000) },
    cause,
  })
}

async function readBounded(reply: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of reply.body ?? []) {
    size += chunk.length
    if (size > mostBytes) throw new Error('the key set is too large')
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}

/** A claim by its name, or by the way to it: `realm_access.roles`. */
function claimOf(claims: JWTPayload, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let at: unknown = claims
  for (const part of name.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined
    at = (at as Record<string, unknown>)[part]
  }
  return at
}

/** A list, or one text with blanks between them, as OAuth's scopes are. */
function rolesOf(claim: unknown): string[] {
  if (typeof claim === 'string') return claim.split(' ').filter((role) => role !== '')
  return Array.isArray(claim) ? claim.filter((role) => typeof role === 'string') : []
}
