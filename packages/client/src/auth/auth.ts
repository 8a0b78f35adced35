// The flows of accounts: sign up, verify an address, sign in and out, reset a password, sign in with a provider. Each is one or two
// requests of Twain's REST API; `SessionTokens` keeps what they return.

import { Http, type HttpOptions, httpError } from '../transport/http.ts'
import type { AccountNames, AccountShape, AnyAccount, CodeFor, SignInInput, SignUpResult } from './auth-input.ts'
import { ProviderRedirect, type ProviderReturn } from './provider-redirect.ts'
import { openStore, type SessionStore } from './session-store.ts'
import { type ChangeReason, type IssuedTokens, type Session, SessionTokens } from './session-tokens.ts'

export type AuthOptions<Account extends AccountShape = AnyAccount> = AccountNames<Account> &
  Pick<HttpOptions, 'fetch' | 'timeout' | 'retry'> & {
    /** The base URL of the service, without `/graphql`. */
    url: string
    /** Where the refresh token is stored: `local` (default, shared by all tabs), `session` (one tab), `memory` (one page), or your own. */
    storage?: 'local' | 'session' | 'memory' | SessionStore
  }

export type Auth<Account extends AccountShape = AnyAccount> = ReturnType<typeof createAuth<Account>>

/** A code that is on its way by mail. Its secret alone is worth nothing. */
interface PendingCode {
  login: string
  secret: string
  /** Of a sign-up that waits for its code. */
  isSignUp: boolean
}

export function createAuth<Account extends AccountShape = AnyAccount>(options: AuthOptions<Account>) {
  const { url, accounts = '/users', login = 'email', storage = 'local' } = options
  const name = `twain ${url}`
  const http = new Http(options)
  const pendingCode = openStore('session', `${name} code`)
  /** Shows the server that somebody has signed in here before. It lets nobody in, and stays after a sign-out. */
  const device = openStore(typeof storage === 'string' ? storage : 'memory', `${name} device`)
  const redirect = new ProviderRedirect(url, name)
  /** Of a sign-up whose address is not proven yet. It is never stored. */
  let newPassword: string | null = null
  /** A provider's answer that needs more input. */
  let unfinished: ProviderReturn | null = null

  const send = async <T>(
    method: string,
    path: string,
    body?: unknown,
    how: { token?: string | null; isSafe?: boolean; keepalive?: boolean } = {},
  ) => {
    const { keepalive } = how
    const reply = await http.send(url + path, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(how.token && { authorization: `Bearer ${how.token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      isSafe: how.isSafe ?? false,
      // Listeners may leave the page at once.
      ...(keepalive && { fetch: (to, init) => (options.fetch ?? fetch)(to, { ...init, keepalive }) }),
    })
    if (reply.status >= 400) throw httpError(reply)
    return { status: reply.status, data: (reply.text === '' ? null : JSON.parse(reply.text)) as T }
  }

  // The server answers a repeated renewal alike, so it may be sent again.
  const renew = async (refreshToken: string, keepalive = false) =>
    (await send<IssuedTokens>('POST', '/tokens', { refreshToken }, { isSafe: true, keepalive })).data

  const tokens = new SessionTokens({
    name,
    store: typeof storage === 'string' ? openStore(storage, name) : storage,
    isShared: storage === 'local' && 'document' in globalThis,
    renew,
  })

  const begin = async (input: object): Promise<Session> => {
    const begun = Date.now()
    const { data } = await send<IssuedTokens & { device?: string }>('POST', '/tokens', input)
    if (data.device !== undefined) device.set(data.device)
    pendingCode.set(null)
    newPassword = null
    return tokens.begin(data, begun)
  }

  const beginWithPassword = (input: object): Promise<Session> => {
    const known = device.get()
    return begin(known === null ? input : { ...input, device: known })
  }

  const pending = (): PendingCode => {
    const text = pendingCode.get()
    if (text === null) throw new Error('No code is on its way: call sendCode or signUp first.')
    return JSON.parse(text) as PendingCode
  }
  const expectCode = (address: string, { secret }: { secret: string }, isSignUp: boolean) =>
    pendingCode.set(JSON.stringify({ login: address, secret, isSignUp } satisfies PendingCode))
  /** The members that the code of a mail needs. */
  const withCode = (code: string) => {
    const { login: address, secret } = pending()
    return { [login]: address, code, secret }
  }

  return {
    /** The value of the header `authorization`, for `createClient`. */
    authorization: async (): Promise<string | null> => {
      const token = await tokens.access()
      return token && `Bearer ${token}`
    },

    /** Gets another token after one was refused, for `createClient`. */
    refresh: (): Promise<void> => tokens.renew(),

    /** Who is signed in, in this tab and all others. */
    get session(): Session | null {
      return tokens.session
    },

    /** Calls the listener after each sign-in and sign-out, also those of other tabs. The returned function ends it. */
    onChange: (listener: (session: Session | null, reason: ChangeReason) => void): (() => void) =>
      tokens.onChange(listener),

    /** Creates an account and signs in. `VERIFY`: the service asks for the code of a mail first. */
    async signUp(input: Account['create'] & { password: string }): Promise<SignUpResult> {
      const address = (input as Record<string, unknown>)[login] as string
      const { status, data } = await send<{ secret: string }>('POST', accounts, input)
      if (status === 202) {
        expectCode(address, data, true)
        newPassword = input.password
        return 'VERIFY'
      }
      await beginWithPassword({ [login]: address, password: input.password })
      return 'SIGNED_IN'
    },

    signIn: (input: SignInInput<Account>): Promise<Session> =>
      'code' in input ? begin(withCode(input.code as string)) : beginWithPassword(input),

    /** Ends the session in all tabs, and on the server if it can be reached; with `everywhere` all sessions of the account. */
    async signOut({ everywhere = false } = {}): Promise<void> {
      const ended = tokens.end('SIGN_OUT')
      if (ended === null) return
      const path = everywhere ? '/tokens?all=true' : `/tokens/${ended.id}`
      const end = (token: string) => send('DELETE', path, undefined, { token, isSafe: true, keepalive: true })
      const renewAndEnd = async () => end((await renew(ended.refreshToken, true)).token)
      try {
        if (ended.token === null) await renewAndEnd()
        else await end(ended.token).catch((error) => (error.status === 401 ? renewAndEnd() : Promise.reject(error)))
      } catch (error) {
        // Nobody has the tokens any more. Only the sessions elsewhere would go on.
        if (everywhere) throw error
      }
    },

    /** Mails a code. The answer is the same for an address without an account. `captcha` is for services that ask for one. */
    async sendCode(purpose: CodeFor, address: string, captcha?: string): Promise<{ expiresAt: string }> {
      const waiting = pendingCode.get() === null ? null : pending()
      // A sign-up that waits gets its code again.
      const isSignUp = purpose === 'VERIFY' && waiting?.isSignUp === true && waiting.login === address
      const { data } = await send<{ secret: string; expiresAt: string }>('POST', '/codes', {
        for: purpose,
        [login]: address,
        ...(isSignUp && { secret: waiting.secret }),
        captcha,
      })
      expectCode(address, data, isSignUp)
      return { expiresAt: data.expiresAt }
    },

    /** Proves an address by the code of a mail. After a sign-up it signs in, unless the page was loaded again in between: then null. `newAddress` is one
     *  that the account changes to. */
    async verify(code: string, newAddress?: string): Promise<Session | null> {
      const input = newAddress === undefined ? withCode(code) : { [login]: newAddress, code }
      await send('POST', '/verifications', input, { token: await tokens.access() })
      if (newPassword !== null) return beginWithPassword({ [login]: pending().login, password: newPassword })
      if (newAddress === undefined) pendingCode.set(null)
      return tokens.session
    },

    /** Sets a new password by the code of `sendCode('RESET', …)`, ends all other sessions, and signs in. */
    reset: ({ code, password }: { code: string; password: string }): Promise<Session> =>
      begin({ ...withCode(code), password }),

    /** Goes to a provider. It comes back to `to`, by default this page, where `finishSignIn` takes over. With `link` the account that is
     *  signed in can sign in with the provider from then on. */
    signInWith: (provider: string, { to, link = false }: { to?: string; link?: boolean } = {}): Promise<void> =>
      redirect.leave(provider, to, link),

    /** Signs in with what a provider answered; null if this page is not a way back. If it rejects with a 409 that lists missing fields,
     *  call it again with them; a `link` may ask for `{ currentPassword }` (403). */
    async finishSignIn(input?: Partial<Account['create']> | { currentPassword: string }): Promise<Session | null> {
      unfinished = redirect.take() ?? unfinished
      if (unfinished === null) return null
      const { isLink, ...proof } = unfinished
      if (isLink) await send('POST', '/identities', { ...proof, ...input }, { token: await tokens.access() })
      else await begin({ ...proof, ...(input && { input }) })
      unfinished = null
      return tokens.session
    },

    /** Stops listening to other tabs. */
    close: () => tokens.close(),
  }
}
