// Who asks: the `authorization` header, or the ticket of a stream, read into a Viewer.
//
// 1. No header is someone unknown; a header that is not good in every way is a 401, never someone unknown.
// 2. What a token may is as of now: the account must be there, the signing in not ended, the roles are those of its row.
// 3. That is looked up again after a second, so what was taken away is gone within one; what was verified is not verified
//    again while it counts.

import { anonymous, Cache, type MaybePromise, type Viewer } from '#base'
import type { CredentialStore } from '#store'
import { hashKey, isKey } from './api-keys.ts'
import { invalidToken } from './auth-errors.ts'
import type { ExternalIdentity, ExternalIssuer } from './external-issuer.ts'
import type { Identity } from './identity.ts'
import { readTicket, type TicketRequest } from './request-ticket.ts'
import type { SignedTokens } from './signed-tokens.ts'
import type { Tickets } from './tickets.ts'

const fresh = 1000

interface CachedViewer {
  identity: Identity
  viewer: Viewer
  /** Milliseconds. */
  until: number
}

interface ViewersOptions {
  hasAccounts: boolean
  credentials: CredentialStore
  tokens: SignedTokens
  tickets: Tickets
  externalIssuer: ExternalIssuer | null
  /** The account of a login that is seen for the first time; null: there are none but those that signed up. */
  makeAccount: ((foreign: ExternalIdentity) => Promise<string>) | null
  clock: () => number
}

export class Viewers {
  readonly #parts: ViewersOptions
  readonly #known = new Cache<string, CachedViewer>(10_000)
  readonly #identities = new WeakMap<Viewer, Identity>()

  constructor(parts: ViewersOptions) {
    this.#parts = parts
  }

  viewerOf(request: TicketRequest): MaybePromise<Viewer> {
    const ticket = readTicket(request)
    if (ticket !== null) return this.#byTicket(ticket, request)
    const { authorization } = request.headers
    return authorization === undefined ? anonymous : this.#asOfNow(authorization, null)
  }

  /** By what a viewer was known; null for someone unknown. */
  identityOf(viewer: Viewer): Identity | null {
    return this.#identities.get(viewer) ?? null
  }

  /** It opens one stream, so that the stream asks later on in another way whether its viewer still counts. */
  async #byTicket(ticket: string, { headers, context }: TicketRequest): Promise<Viewer> {
    const { identity, eventIdSuffix: mark } = await this.#parts.tickets.use(ticket, headers['last-event-id'])
    const again = () => this.#asOfNow(`ticket ${ticket}`, identity)
    if (context !== undefined) Object.assign(context, { reauthenticate: again, eventIdSuffix: mark })
    return again()
  }

  #asOfNow(word: string, identity: Identity | null): MaybePromise<Viewer> {
    const now = this.#parts.clock()
    const known = this.#known.get(word)
    return known !== undefined && now < known.until ? known.viewer : this.#find(word, known?.identity ?? identity, now)
  }

  async #find(word: string, known: Identity | null, now: number): Promise<Viewer> {
    const identity = known ?? (await this.#identify(bearerOf(word)))
    if (identity.expires <= now) throw invalidToken()
    const viewer = await this.#stand(identity)
    this.#identities.set(viewer, identity)
    this.#known.set(word, { identity, viewer, until: Math.min(now + fresh, identity.expires) })
    return viewer
  }

  async #identify(text: string): Promise<Identity> {
    const { tokens, externalIssuer: foreign } = this.#parts
    if (isKey(text)) return { kind: 'key', hash: hashKey(text), expires: Number.POSITIVE_INFINITY }
    const { typ, iss } = await peek(text)
    if (foreign !== null && iss === foreign.issuer) return { kind: 'external', ...(await foreign.verify(text)) }
    if (typ === 'op+jwt') return { kind: 'operator', ...(await tokens.verifyOperator(text)) }
    return { kind: 'access', ...(await tokens.verifyAccess(text)) }
  }

  async #stand(identity: Identity): Promise<Viewer> {
    const { credentials, tokens, hasAccounts } = this.#parts
    switch (identity.kind) {
      case 'access': {
        const roles = (await tokens.isTrustedKey(identity.kid))
          ? await credentials.rolesOf(identity.account, identity.token)
          : null
        if (roles === null) throw invalidToken()
        return { account: identity.account, roles, authenticated: true, token: identity.token }
      }
      case 'operator':
        if (!(await tokens.isTrustedKey(identity.kid))) throw invalidToken()
        return { account: null, roles: identity.roles, authenticated: true, token: identity.id }
      case 'key': {
        const key = await credentials.findKey(identity.hash)
        if (key === null) throw invalidToken()
        return { account: null, roles: key.roles, authenticated: true, token: key.id }
      }
      case 'external': {
        const account = hasAccounts ? await this.#accountOf(identity) : null
        const roles = account === null ? [] : await credentials.rolesOf(account, null)
        if (roles === null) throw invalidToken()
        return { account, roles: identity.roles ?? roles, authenticated: true, token: identity.id }
      }
    }
  }

  async #accountOf(foreign: ExternalIdentity): Promise<string> {
    const { credentials, makeAccount } = this.#parts
    const known = await credentials.findLogin(foreign.login)
    // Whoever typed an address at a sign-up has not shown that it is theirs; the issuer vouches for whom it names. So a
    // password that was there before is taken away when the owner first comes.
    if (known !== null && known.hash !== null) await credentials.clearPassword(known.account, this.#parts.clock())
    if (known !== null) return known.account
    if (makeAccount === null) throw invalidToken()
    try {
      return await makeAccount(foreign)
    } catch (error) {
      // Of two requests that come first at the same time, one makes it.
      const made = await credentials.findLogin(foreign.login)
      if (made === null) throw error
      return made.account
    }
  }
}

/** RFC 6750, 2.1. */
function bearerOf(authorization: string): string {
  const [, token] = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization) ?? []
  if (token === undefined) throw invalidToken()
  return token
}

/** What a token says of itself, to know by which rules it has to be verified. Nothing of it is believed. */
async function peek(text: string): Promise<{ typ: unknown; iss: unknown }> {
  const { decodeJwt, decodeProtectedHeader } = await import('jose') // a service that nobody signs in to never needs it
  try {
    return { typ: decodeProtectedHeader(text).typ, iss: decodeJwt(text).iss }
  } catch (cause) {
    throw invalidToken(cause)
  }
}
