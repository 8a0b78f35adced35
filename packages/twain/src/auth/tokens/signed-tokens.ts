// Signs and verifies Twain's own tokens: JWTs (RFC 7519) with HS256, in four kinds that are never accepted for each other:
//
//   at+jwt   access: `sub` is the account, `jti` the session, `auth_time` its sign-in; permissions are looked up for each request
//   rt+jwt   refresh: `gen` counts the renewals of the session
//   act+jwt  acting: `jti` is the session in which somebody acts as another; `act` names them (RFC 8693, 4.1)
//   op+jwt   operator: roles and no account, created on the command line; valid as long as its signing key
//
// The key is found by `kid` among Twain's own keys. Other header parameters (`jku`, `jwk`, `x5u`, another `alg`) are ignored,
// and `crit` is refused.

import type { JWTPayload } from 'jose'
import { invalidToken } from '../auth-errors.ts'
import { ownIssuer } from '../issuer-settings.ts'
import type { SigningKeys } from './signing-keys.ts'

export interface AccessClaims {
  account: string
  /** The id of the session. */
  token: string
  kid: string
  /** Milliseconds since 1970. Null for a token without `auth_time`. */
  signedInAt: number | null
  expires: number
}

interface SessionOfToken {
  account: string
  /** The id of the session. */
  token: string
  signedIn: number
}

export interface OperatorClaims {
  id: string
  roles: string[]
  kid: string
  expires: number
}

export interface ActingClaims {
  /** The id of the session. */
  token: string
  kid: string
  expires: number
}

export interface RefreshClaims {
  account: string
  token: string
  generation: number
}

export class SignedTokens {
  readonly #keys: SigningKeys
  readonly #clock: () => number

  constructor(keys: SigningKeys, clock: () => number) {
    this.#keys = keys
    this.#clock = clock
  }

  /** `signedIn` is the time of the sign-in, which renewals keep. */
  signAccess({ account, token, signedIn }: SessionOfToken, expires: number): Promise<string> {
    const claims = { sub: account, jti: token, auth_time: Math.floor(signedIn / 1000) }
    return this.#sign('at+jwt', claims, this.#clock(), expires)
  }

  /** Deterministic: the same claims give the same token, so a refresh token can be issued again without being stored. */
  signRefresh({ account, token, generation }: RefreshClaims, issued: number, expires: number): Promise<string> {
    return this.#sign('rt+jwt', { sub: account, jti: token, gen: generation }, issued, expires)
  }

  signOperator(id: string, roles: readonly string[], expires: number): Promise<string> {
    return this.#sign('op+jwt', { jti: id, roles: [...roles] }, this.#clock(), expires)
  }

  /** `by` is whoever acts. It is for readers of the token: the row of the session decides. */
  signActing(id: string, by: string, expires: number): Promise<string> {
    return this.#sign('act+jwt', { jti: id, act: { sub: by } }, this.#clock(), expires)
  }

  async verifyActing(text: string): Promise<ActingClaims> {
    const { jti, exp, kid } = await this.#verify('act+jwt', text)
    return { token: jti, kid, expires: exp * 1000 }
  }

  async verifyAccess(text: string): Promise<AccessClaims> {
    const { sub, jti, exp, kid, auth_time: signedIn } = await this.#verify('at+jwt', text)
    if (typeof sub !== 'string') throw invalidToken()
    return { account: sub, token: jti, kid, signedInAt: timeOf(signedIn), expires: exp * 1000 }
  }

  async verifyRefresh(text: string): Promise<RefreshClaims> {
    const { sub, jti, gen } = await this.#verify('rt+jwt', text)
    if (typeof sub !== 'string' || typeof gen !== 'number') throw invalidToken()
    return { account: sub, token: jti, generation: gen }
  }

  async verifyOperator(text: string): Promise<OperatorClaims> {
    const { jti, roles, exp, kid } = await this.#verify('op+jwt', text)
    if (!Array.isArray(roles)) throw invalidToken()
    return { id: jti, roles: roles.filter((role) => typeof role === 'string'), kid, expires: exp * 1000 }
  }

  /** Whether tokens signed with this key are still valid. */
  async isTrustedKey(kid: string): Promise<boolean> {
    return (await this.#keys.current()).byKid.has(kid)
  }

  async #sign(typ: string, claims: JWTPayload, issued: number, expires: number): Promise<string> {
    const { newest, audience } = await this.#keys.current()
    const { SignJWT } = await import('jose')
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ, kid: newest.kid })
      .setIssuer(ownIssuer)
      .setAudience(audience)
      .setIssuedAt(Math.floor(issued / 1000))
      .setExpirationTime(Math.floor(expires / 1000))
      .sign(newest.key)
  }

  async #verify(typ: string, text: string): Promise<VerifiedClaims> {
    const { byKid, audience } = await this.#keys.current()
    const { jwtVerify } = await import('jose')
    try {
      const { payload, protectedHeader } = await jwtVerify(
        text,
        ({ kid }) => byKid.get(String(kid)) ?? Promise.reject(new Error('no such key')),
        {
          algorithms: ['HS256'],
          typ,
          issuer: ownIssuer,
          audience,
          requiredClaims: ['iss', 'aud', 'iat', 'exp', 'jti'],
          currentDate: new Date(this.#clock()),
        },
      )
      if (typeof payload.jti !== 'string') throw new Error('jti is not a string')
      return { ...payload, jti: payload.jti, exp: payload.exp!, kid: String(protectedHeader.kid) }
    } catch (cause) {
      throw invalidToken(cause)
    }
  }
}

type VerifiedClaims = JWTPayload & { jti: string; exp: number; kid: string }

/** The milliseconds of a claim in seconds (RFC 7519, 2: NumericDate). */
export function timeOf(claim: unknown): number | null {
  return typeof claim === 'number' && Number.isFinite(claim) ? claim * 1000 : null
}
