// Signing in, renewing, ending. A signing in is one row in the vault, whatever is renewed in it; its refresh token of the
// present generation is the only one that counts.
//
// 1. Unknown logins and wrong passwords get the same answer after the same work.
// 2. A refresh token that was used gives the same successor again for 30 s, until that is used: an answer may get lost on
//    its way. Later its use means that two have it, so the whole signing in ends.
// 3. A password that was changed while it was being checked lets nobody in (the vault compares it again as it writes).

import { ApiError, type Log, uuidv7, type Viewer } from '#base'
import type { CredentialStore, Token } from '#store'
import { invalidToken, signInFirst } from './auth-errors.ts'
import type { LoginAttempts } from './login-attempts.ts'
import type { Passwords } from './passwords.ts'
import type { AuthSettings } from './settings.ts'
import { readSignIn, resolveLoginAlias } from './sign-in-input.ts'
import type { SignedTokens } from './signed-tokens.ts'
import type { IssuedToken, TokenInfo } from './tokens.ts'

const grace = 30_000

interface LoginSessionsOptions {
  loginField: string
  /** The name that it had. */
  loginAlias: string | null
  credentials: CredentialStore
  tokens: SignedTokens
  passwords: Passwords
  attempts: LoginAttempts
  settings: Pick<AuthSettings, 'accessTokenSeconds' | 'refreshTokenSeconds'>
  clock: () => number
  log: Log
}

export class LoginSessions {
  readonly #parts: LoginSessionsOptions

  constructor(parts: LoginSessionsOptions) {
    this.#parts = parts
  }

  async signIn(input: Record<string, unknown>, address: string): Promise<IssuedToken> {
    const { loginField, loginAlias: formerLogin } = this.#parts
    const asked = readSignIn(resolveLoginAlias(input, loginField, formerLogin), loginField)
    return asked.kind === 'refresh'
      ? this.#renew(asked.refreshToken)
      : this.#enter(asked.login, asked.password, address)
  }

  async list(viewer: Viewer): Promise<TokenInfo[]> {
    if (!viewer.authenticated) throw signInFirst()
    if (viewer.account === null) return []
    const tokens = await this.#parts.credentials.tokens(viewer.account, this.#parts.clock())
    return tokens.map(({ id, created, used, expires }) => ({
      id,
      createdAt: toText(created),
      lastUsedAt: toText(used),
      expiresAt: toText(expires),
    }))
  }

  async end(viewer: Viewer, id: string): Promise<boolean> {
    if (!viewer.authenticated) throw signInFirst()
    if (viewer.account === null) return false
    return this.#parts.credentials.revokeToken(id, viewer.account, this.#parts.clock())
  }

  async #enter(login: string, password: string, address: string): Promise<IssuedToken> {
    const { credentials, passwords, attempts, clock } = this.#parts
    const attempt = attempts.begin(login, address)
    const known = await credentials.findLogin(login)
    const right = await passwords.verify(password, known?.hash ?? null).catch((error) => {
      attempt.cancel()
      throw error
    })
    if (known === null || known.hash === null || !right) throw this.#wrong()
    const now = clock()
    const token: Token = {
      id: uuidv7(now),
      account: known.account,
      generation: 1,
      created: now,
      used: now,
      expires: this.#renewableUntil(now),
      ended: false,
    }
    if (!(await credentials.createToken(token, known.hash))) throw this.#wrong()
    attempt.succeeded()
    return this.#answer(token)
  }

  async #renew(text: string): Promise<IssuedToken> {
    const { credentials, tokens, clock, log } = this.#parts
    const { token: id, account, generation } = await tokens.verifyRefresh(text)
    const now = clock()
    const renewed = await credentials.renewToken(id, generation, now, this.#renewableUntil(now))
    if (renewed !== null) return this.#answer(renewed)

    const token = await credentials.findToken(id)
    if (token === null || token.ended || token.expires <= now) throw invalidToken()
    if (token.generation === generation + 1 && now - token.used <= grace) return this.#answer(token)
    await credentials.revokeToken(id, account, now)
    log.warn({ token_id: id, 'user.id': account }, 'refresh token reused; session ended')
    throw invalidToken()
  }

  /** The refresh token is made of what the row says and nothing else, so it is the same whenever it is asked for. */
  async #answer({ id, account, generation, used, expires }: Token): Promise<IssuedToken> {
    const { tokens, settings, clock } = this.#parts
    const until = Math.floor(clock() / 1000 + settings.accessTokenSeconds) * 1000
    return {
      id,
      token: await tokens.signAccess({ account, token: id }, until),
      refreshToken: await tokens.signRefresh({ account, token: id, generation }, used, expires),
      expiresAt: toText(until),
    }
  }

  #renewableUntil(now: number): number {
    return now + this.#parts.settings.refreshTokenSeconds * 1000
  }

  #wrong(): ApiError {
    return new ApiError('UNAUTHENTICATED', `The ${this.#parts.loginField} or the password is wrong.`, {
      headers: { 'www-authenticate': 'Bearer' },
    })
  }
}

const toText = (time: number): string => new Date(time).toISOString()
