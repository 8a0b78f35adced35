// The tokens of a session, in all tabs of an origin.
//
// 1. The access token is in memory only. The refresh token is in the store, because tabs share it and it survives a reload.
// 2. Before a renewal a tab waits for the others, and takes the access token of the one that was first. So tabs renew once.
// 3. A refused refresh token ends the session in all tabs, once. Any other failure (offline, a busy server) leaves it as it is.
// 4. The lifetime of a token counts from the request that got it, by the clock of this machine. So a wrong clock does no harm.

import { HttpError } from '../errors.ts'
import type { SessionStore } from './session-store.ts'
import { Tabs } from './tabs.ts'

/** A signed-in account. */
export interface Session {
  /** The id of the session, as in `GET /tokens`. */
  readonly id: string
  /** The id of the account. */
  readonly account: string
}

/** `ENDED`: not by `signOut`, but by the server: revoked, expired, or the account was locked or deleted. */
export type ChangeReason = 'SIGN_IN' | 'SIGN_OUT' | 'ENDED'

/** The answer of `POST /tokens`. */
export interface IssuedTokens {
  id: string
  token: string
  refreshToken: string
}

interface StoredSession extends Session {
  refreshToken: string
}

interface AccessToken {
  token: string
  /** Milliseconds since 1970, by the clock of this machine. */
  goodUntil: number
}

interface TabMessage {
  session: Session | null
  access: AccessToken | null
  reason: ChangeReason
}

interface SessionTokensOptions {
  name: string
  store: SessionStore
  /** Whether other tabs have the same store. */
  isShared: boolean
  renew(refreshToken: string): Promise<IssuedTokens>
}

/** How long a tab waits for the token of another tab that has renewed the session. */
const maxTellMs = 1000

export class SessionTokens {
  readonly #options: SessionTokensOptions
  readonly #tabs: Tabs<TabMessage>
  readonly #listeners = new Set<(session: Session | null, reason: ChangeReason) => void>()
  #session: Session | null = null
  #access: AccessToken | null = null
  #renewing: Promise<void> | null = null
  #onTold: (() => void) | null = null

  constructor(options: SessionTokensOptions) {
    this.#options = options
    this.#tabs = new Tabs(options.name, options.isShared, (message) => this.#hear(message))
    this.#session = publicPart(this.#read())
    // A page that comes back from the history has missed messages.
    const { addEventListener } = globalThis as Partial<Pick<EventTarget, 'addEventListener'>>
    addEventListener?.('pageshow', () => this.#compare())
  }

  /** The same object as long as the same session lasts. */
  get session(): Session | null {
    return this.#session
  }

  onChange(listener: (session: Session | null, reason: ChangeReason) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** The access token; null if nobody is signed in. Renews one that ends soon. */
  async access(): Promise<string | null> {
    if (!this.#tabs.isConnected) this.#compare()
    if (this.#session !== null && !isGood(this.#access)) await this.renew()
    return this.#access?.token ?? null
  }

  /** Takes what the server issued at a sign-in. `begun` is when the request was sent. */
  begin(issued: IssuedTokens, begun: number): Session {
    const stored = this.#write(issued)
    this.#change(stored, accessOf(issued, begun), 'SIGN_IN')
    this.#tell('SIGN_IN')
    return this.#session!
  }

  /** Forgets the session, in all tabs. Returns what is needed to end it on the server. */
  end(reason: ChangeReason): { id: string; token: string | null; refreshToken: string } | null {
    const stored = this.#read()
    const token = isGood(this.#access) ? this.#access!.token : null
    this.#options.store.set(null)
    this.#change(null, null, reason)
    this.#tell(reason)
    return stored && { ...stored, token }
  }

  /** Gets another access token, once for all callers and tabs. */
  renew(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = null
    })
    return this.#renewing
  }

  close(): void {
    this.#tabs.close()
    this.#listeners.clear()
  }

  async #renew(): Promise<void> {
    const before = this.#access
    const known = this.#read()?.refreshToken
    await this.#tabs.exclusively(async (hasWaited) => {
      const isRenewedElsewhere = hasWaited || this.#read()?.refreshToken !== known
      if (isRenewedElsewhere && this.#access === before) await this.#told()
      if (this.#access !== before && isGood(this.#access)) return
      const stored = this.#read()
      if (stored !== null) await this.#ask(stored)
    })
  }

  async #ask(stored: StoredSession): Promise<void> {
    const begun = Date.now()
    try {
      const issued = await this.#options.renew(stored.refreshToken)
      // Somebody may have signed out in the meantime.
      if (this.#read()?.id !== issued.id) return
      const renewed = this.#write(issued)
      this.#change(renewed, accessOf(issued, begun), 'SIGN_IN')
      this.#tell('SIGN_IN')
    } catch (error) {
      if (!isRefused(error)) throw error
      if (this.#read()?.refreshToken === stored.refreshToken) this.end('ENDED')
    }
  }

  #hear({ session, access, reason }: TabMessage): void {
    // Not by the store: what another tab wrote may arrive there later.
    this.#change(session, access, reason)
    this.#onTold?.()
  }

  /** Another tab may have signed in or out unheard. */
  #compare(): void {
    const stored = this.#read()
    if (stored?.id !== this.#session?.id) this.#change(stored, null, stored === null ? 'SIGN_OUT' : 'SIGN_IN')
  }

  #tell(reason: ChangeReason): void {
    this.#tabs.tell({ session: this.#session, access: this.#access, reason })
  }

  /** Waits until another tab has told its token. */
  #told(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, maxTellMs)
      this.#onTold = () => {
        clearTimeout(timer)
        this.#onTold = null
        resolve()
      }
    })
  }

  #change(session: Session | null, access: AccessToken | null, reason: ChangeReason): void {
    this.#access = access
    if (session?.id === this.#session?.id) return
    this.#session = publicPart(session)
    for (const listener of [...this.#listeners]) listener(this.#session, reason)
  }

  #read(): StoredSession | null {
    const text = this.#options.store.get()
    return text === null ? null : (JSON.parse(text) as StoredSession)
  }

  #write({ id, token, refreshToken }: IssuedTokens): StoredSession {
    const stored = { id, account: claimsOf(token).sub, refreshToken }
    this.#options.store.set(JSON.stringify(stored))
    return stored
  }
}

function publicPart(stored: Session | null): Session | null {
  return stored && { id: stored.id, account: stored.account }
}

function isGood(access: AccessToken | null): boolean {
  return access !== null && Date.now() < access.goodUntil
}

/** The server refused the token itself. */
function isRefused(error: unknown): boolean {
  return error instanceof HttpError && error.status < 500 && ![408, 425, 429].includes(error.status)
}

function accessOf({ token }: IssuedTokens, begun: number): AccessToken {
  const { exp, iat } = claimsOf(token)
  const lifetimeMs = (exp - iat) * 1000
  return { token, goodUntil: begun + lifetimeMs - Math.min(10_000, lifetimeMs / 10) }
}

/** Of the payload of a JWT. The server checks the token; the client only reads it. */
function claimsOf(token: string): { sub: string; iat: number; exp: number } {
  return JSON.parse(atob(token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/')))
}
