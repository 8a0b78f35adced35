// Sign-in and renewal. A session is one row of the credential store, however often it is renewed. Only the refresh
// token of its current generation is valid.
//
// 1. Unknown logins and wrong passwords get the same response after the same work.
// 2. For 30 s, and until the successor is used, a used refresh token returns the same successor again: a response may get lost.
//    After that, its use means that the token leaked, and the session ends.
// 3. If the password changes while it is checked, sign-in fails: the store compares the hash again in the write.
// 4. Custom code may refuse a sign-in, after the password was found right. To renew a session is no sign-in.

import { ApiError, type Log, uuidv7 } from '#base'
import { networkOf, unknownClient } from '#base/http'
import type { Named } from '#model/names'
import type { NewSession, SessionMethod } from '#plan'
import { type CredentialStore, type Token, wrongCode } from '#store'
import { invalidToken } from '../auth-errors.ts'
import type { AccountCodes } from '../codes/account-codes.ts'
import { shortAddress, shortClient } from '../sessions/client-details.ts'
import { idleMs, latestEnd, renewableUntil, type SessionSettings } from '../sessions/session-times.ts'
import type { AuthSettings } from '../settings.ts'
import type { SignedTokens } from '../tokens/signed-tokens.ts'
import type { IssuedToken } from '../tokens.ts'
import type { KnownDevices } from './known-devices.ts'
import type { Passwords } from './passwords.ts'
import { counted, type SharedAttempt, type SharedAttempts } from './shared-attempts.ts'
import type { SignInCheck } from './sign-in-check.ts'
import { type CodeInput, type PasswordInput, readSignIn } from './sign-in-input.ts'

const reuseGraceMs = 30_000

interface LoginSessionsOptions {
  /** The login field of the account. */
  login: Named
  credentials: CredentialStore
  tokens: SignedTokens
  passwords: Passwords
  attempts: SharedAttempts
  devices: KnownDevices
  /** Null: logins are no addresses. */
  codes: AccountCodes | null
  checkSignIn: SignInCheck | null
  settings: Pick<AuthSettings, 'accessTokenSeconds'> & SessionSettings
  clock: () => number
  log: Log
}

export class LoginSessions {
  readonly #options: LoginSessionsOptions

  constructor(options: LoginSessionsOptions) {
    this.#options = options
  }

  async signIn(input: Record<string, unknown>, address: string, client = unknownClient): Promise<IssuedToken> {
    const signInInput = readSignIn(input, this.#options.login)
    switch (signInInput.kind) {
      case 'refresh':
        return this.#renew(signInInput.refreshToken)
      case 'code':
        return this.#signInWithCode(signInInput, address, client)
      case 'password':
        return this.#signInWithPassword(signInInput, address, client)
    }
  }

  /** Begins a session of a sign-in with a provider. `save` stores it, or returns false: then the result is null. */
  async beginByProvider(
    account: string,
    { address, client }: { address: string; client: string },
    save: (session: NewSession) => Promise<boolean>,
  ): Promise<IssuedToken | null> {
    const token = this.#newToken(account, 'PROVIDER', client, address)
    return (await save(token)) ? this.#issue(token) : null
  }

  /** With a new password, the code must be one for a reset. */
  async #signInWithCode(input: CodeInput, address: string, client: string): Promise<IssuedToken> {
    const { codes, passwords, checkSignIn, attempts, clock } = this.#options
    if (codes === null) throw wrongCode()
    const attempt = await attempts.beginCode(address)
    const purpose = input.password === null ? 'SIGN_IN' : 'RESET'
    const { id, account } = await counted(attempt, () => codes.check(input, purpose))
    await checkSignIn?.(account, 'code')
    const password = input.password === null ? null : await passwords.hash(input.password, networkOf(address))
    const token = this.#newToken(account, 'CODE', client, address)
    const use = { use: token.id, session: token, isOwner: false, now: clock() }
    await codes.use(account, { kind: 'code', code: id, password, ...use })
    return this.#issueTo(input.login, token, null)
  }

  async #signInWithPassword(input: PasswordInput, address: string, client: string): Promise<IssuedToken> {
    const { login, password, device } = input
    const { credentials, passwords, attempts, checkSignIn } = this.#options
    const attempt = await attempts.begin(input, address)
    const canceled = (error: unknown): never => {
      attempt.cancel()
      throw error
    }
    const found = await credentials.findLogin(login)
    const isRight = await passwords.verify(password, found?.hash ?? null, networkOf(address)).catch(canceled)
    if (found === null || found.hash === null || found.isLocked || !isRight) return this.#failed(attempt)
    await checkSignIn?.(found.account, 'password').catch(canceled)
    const token = this.#newToken(found.account, 'PASSWORD', client, address)
    if (!(await credentials.createToken(token, found.hash))) return this.#failed(attempt)
    await attempt.succeeded()
    return this.#issueTo(login, token, device)
  }

  /** With what shows, from then on, that this device has signed in to the account. */
  async #issueTo(login: string, token: RenewableSession, device: string | null): Promise<IssuedToken> {
    const { devices } = this.#options
    const isKnown = device !== null && (await devices.idOf(device, login)) !== null
    return { ...(await this.#issue(token)), device: isKnown ? device : await devices.make(login) }
  }

  #newToken(account: string, how: SessionMethod, client: string, address: string): NewSession {
    const now = this.#options.clock()
    return {
      id: uuidv7(now),
      account,
      generation: 1,
      created: now,
      used: now,
      expires: renewableUntil(now, now, this.#options.settings),
      client: shortClient(client),
      how,
      address: shortAddress(address),
    }
  }

  async #renew(text: string): Promise<IssuedToken> {
    const { credentials, tokens, clock, log } = this.#options
    const { token: id, account, generation } = await tokens.verifyRefresh(text)
    const now = clock()
    const found = await credentials.findToken(id)
    if (found === null || this.#isOver(found, now)) throw invalidToken()
    const expires = renewableUntil(found.created, now, this.#options.settings)
    const renewed = await credentials.renewToken(id, generation, now, expires)
    if (renewed !== null) return this.#issue(renewed)

    const token = await credentials.findToken(id)
    if (token === null || this.#isOver(token, now)) throw invalidToken()
    if (token.generation === generation + 1 && now - token.used <= reuseGraceMs) return this.#issue(token)
    await credentials.revokeToken(id, now)
    log.warn({ token_id: id, 'user.id': account }, 'refresh token reused; session ended')
    throw invalidToken()
  }

  /** The refresh token depends on the row alone, so the same generation always yields the same token. */
  async #issue({ id, account, generation, created, used, expires }: RenewableSession): Promise<IssuedToken> {
    const { tokens, settings, clock } = this.#options
    const lifetimeMs = settings.accessTokenSeconds * 1000
    const until = Math.floor(Math.min(clock() + lifetimeMs, latestEnd(created, settings)) / 1000) * 1000
    return {
      id,
      token: await tokens.signAccess({ account, token: id, signedIn: created }, until),
      refreshToken: await tokens.signRefresh({ account, token: id, generation }, used, expires),
      expiresAt: formatTime(until),
    }
  }

  /** The settings may have become shorter since the row was written. */
  #isOver({ ended, created, used, expires }: Token, now: number): boolean {
    const { settings } = this.#options
    return ended || Math.min(expires, used + idleMs(settings), latestEnd(created, settings)) <= now
  }

  async #failed(attempt: SharedAttempt): Promise<never> {
    await attempt.failed()
    throw new ApiError('UNAUTHENTICATED', `The ${this.#options.login.name} or the password is wrong.`, {
      headers: { 'www-authenticate': 'Bearer' },
    })
  }
}

/** The part of a session that its tokens state. */
type RenewableSession = Pick<Token, 'id' | 'account' | 'generation' | 'created' | 'used' | 'expires'>

const formatTime = (time: number): string => new Date(time).toISOString()
