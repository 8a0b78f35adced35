// Authenticates a request: turns the `authorization` header, or the ticket of a stream, into a Viewer.
//
// 1. Without a header the viewer is anonymous. An invalid header is a 401, never an anonymous viewer.
// 2. Permissions are current: the account exists, the session has not ended, and the roles are those of the account's row.
// 3. Viewers are cached for one second, so a revoked permission is gone within a second. A verified signature is not verified
//    again while the token is valid.
// 4. Rights that have grown count at once, on every node: a request that would be refused reads them afresh (`refreshed`).
// 5. The first use of a token of an external issuer is a sign-in, which custom code may refuse. A refused token is not cached.

import { andThen, Cache, CacheBudget, type MaybePromise } from '#base'
import { anonymous, clientOf, isSystem, type Viewer, type ViewerClaims } from '#base/http'
import type { AccountRights, CredentialStore, UsedCredential, WebhookOwner } from '#store'
import type { ActingSessions } from './acting/acting-sessions.ts'
import { invalidToken, noBearer } from './auth-errors.ts'
import type { ExternalAccounts } from './external-accounts.ts'
import { FreshRights, haveGrown } from './fresh-rights.ts'
import type { SignInCheck } from './sign-in/sign-in-check.ts'
import { isKey } from './tokens/api-keys.ts'
import type { ExternalIssuer } from './tokens/external-issuer.ts'
import { hashSecret } from './tokens/hash-secret.ts'
import type { Identity } from './tokens/identity.ts'
import type { SignedTokens } from './tokens/signed-tokens.ts'
import { readTicket, type TicketRequest, type Tickets } from './tokens/tickets.ts'

const cacheMs = 1000

/** The estimated size of a viewer beside its token and roles. */
const viewerBytes = 1000

interface CachedViewer {
  identity: Identity
  viewer: Viewer
  /** Milliseconds since 1970. */
  until: number
}

/** Where a viewer comes from. */
interface KnownViewer {
  identity: Identity
  /** Its key in the cache. */
  credential: string
}

interface NamedViewer {
  viewer: Viewer
  /** The same viewer with the name of its client. */
  named: Viewer
}

interface ViewersOptions {
  hasAccounts: boolean
  credentials: CredentialStore
  tokens: SignedTokens
  tickets: Tickets
  /** By their `iss`. */
  externalIssuers: ReadonlyMap<string, ExternalIssuer>
  externalAccounts: ExternalAccounts
  /** Null: there are no accounts to act as. */
  acting: ActingSessions | null
  checkSignIn: SignInCheck | null
  /** Reports claims that no rule can use. */
  checkClaims(claims: ViewerClaims): void
  /** The paths of event streams, which take tickets. */
  streamPaths: ReadonlySet<string | undefined>
  /** Notes the use of a session or an API key. */
  noteUse(of: UsedCredential, id: string, now: number): void
  clock: () => number
  caches?: CacheBudget | undefined
}

export class Viewers {
  readonly #options: ViewersOptions
  readonly #cache: Cache<string, CachedViewer>
  readonly #known = new WeakMap<Viewer, KnownViewer>()
  readonly #freshRights: FreshRights
  /** The viewers of requests that may write, by the name of their client. */
  readonly #named: Cache<string, NamedViewer>

  constructor(options: ViewersOptions) {
    this.#options = options
    const { caches: budget = new CacheBudget() } = options
    this.#cache = new Cache({ name: 'viewers', budget, bytes: (_, credential) => credential.length + viewerBytes })
    this.#named = new Cache({ name: 'viewers', budget, bytes: (_, key) => key.length + viewerBytes })
    this.#freshRights = new FreshRights((account) => options.credentials.rightsOf(account, null), budget)
  }

  viewerOf(request: TicketRequest): MaybePromise<Viewer> {
    return andThen(this.#authenticate(request), (viewer) =>
      mayWrite(request) ? this.#withClient(viewer, clientOf(request.headers)) : viewer,
    )
  }

  /** The change log names the client of a write. The same client gets the same object, for which its plans are cached. */
  #withClient(viewer: Viewer, via: string): Viewer {
    const key = `${viewer.token ?? viewer.by ?? ''}\n${via}`
    const earlier = this.#named.get(key)
    if (earlier?.viewer === viewer) return earlier.named
    const named: Viewer = { ...viewer, via }
    this.#named.set(key, { viewer, named })
    const known = this.#known.get(viewer)
    if (known !== undefined) this.#known.set(named, known)
    return named
  }

  /** The viewer with the rights that its account has now, if they have grown; null otherwise. Roles that a token states stay, and so do
   *  those of a session in which somebody acts. */
  async refreshed(viewer: Viewer): Promise<Viewer | null> {
    const known = this.#known.get(viewer)
    if (known === undefined || viewer.account === null || viewer.acting !== undefined) return null
    const rights = await this.#freshRights.of(viewer.account)
    if (rights === null) return null
    const { identity, credential } = known
    const now = identity.kind === 'external' ? { ...rights, roles: identity.roles ?? rights.roles } : rights
    if (!haveGrown(now, viewer)) return null
    const { via, ...before } = viewer
    const fresh: Viewer = { ...before, ...now }
    this.#known.set(fresh, known)
    const cached = this.#cache.get(credential)
    if (cached !== undefined) this.#cache.set(credential, { ...cached, viewer: fresh })
    return via === undefined ? fresh : this.#withClient(fresh, via)
  }

  #authenticate(request: TicketRequest): MaybePromise<Viewer> {
    const ticket = readTicket(request, this.#options.streamPaths)
    if (ticket !== null) return this.#viewerOfTicket(ticket, request)
    const { authorization } = request.headers
    return authorization === undefined ? anonymous : this.#cachedViewer(bearerOf(authorization), null)
  }

  /** The identity that authenticated a viewer; null for an anonymous viewer. */
  identityOf(viewer: Viewer): Identity | null {
    return this.#known.get(viewer)?.identity ?? null
  }

  /** A ticket works once, so the stream gets another way to reauthenticate. */
  async #viewerOfTicket(ticket: string, { headers, context }: TicketRequest): Promise<Viewer> {
    const { identity, eventIdSuffix } = await this.#options.tickets.use(ticket, headers['last-event-id'])
    const reauthenticate = () => this.#cachedViewer(`ticket ${ticket}`, identity)
    if (context !== undefined) Object.assign(context, { reauthenticate, eventIdSuffix })
    return reauthenticate()
  }

  #cachedViewer(credential: string, identity: Identity | null): MaybePromise<Viewer> {
    const now = this.#options.clock()
    const cached = this.#cache.get(credential)
    return cached !== undefined && now < cached.until
      ? cached.viewer
      : this.#loadViewer(credential, cached?.identity ?? identity, now)
  }

  async #loadViewer(credential: string, verified: Identity | null, now: number): Promise<Viewer> {
    const identity = verified ?? (await this.#identify(credential))
    if (identity.expires <= now) throw invalidToken()
    const viewer = await this.#viewerOf(identity)
    if (viewer.claims !== undefined) this.#options.checkClaims(viewer.claims)
    if (verified === null) await this.#requireSignIn(identity, viewer)
    this.#noteUse(identity, viewer, now)
    this.#known.set(viewer, { identity, credential })
    this.#cache.set(credential, { identity, viewer, until: Math.min(now + cacheMs, identity.expires) })
    return viewer
  }

  /** Operators and external issuers have no row here that could tell it. */
  #noteUse(identity: Identity, { token }: Viewer, now: number): void {
    const { kind } = identity
    if (kind === 'access' || kind === 'acting') this.#options.noteUse('token', identity.token, now)
    if (kind === 'key') this.#options.noteUse('key', token!, now)
  }

  /** See 5. */
  async #requireSignIn({ kind }: Identity, { account }: Viewer): Promise<void> {
    if (kind === 'external' && account !== null) await this.#options.checkSignIn?.(account, 'issuer')
  }

  async #identify(text: string): Promise<Identity> {
    const { tokens, externalIssuers } = this.#options
    if (isKey(text)) return { kind: 'key', hash: hashSecret(text), expires: Number.POSITIVE_INFINITY }
    const { typ, iss } = await peek(text)
    const externalIssuer = typeof iss === 'string' ? externalIssuers.get(iss) : undefined
    if (externalIssuer !== undefined) return { kind: 'external', ...(await externalIssuer.verify(text)) }
    if (typ === 'act+jwt') return { kind: 'acting', ...(await tokens.verifyActing(text)) }
    if (typ === 'op+jwt') return { kind: 'operator', ...(await tokens.verifyOperator(text)) }
    return { kind: 'access', ...(await tokens.verifyAccess(text)) }
  }

  async #viewerOf(identity: Identity): Promise<Viewer> {
    const { credentials, tokens, hasAccounts, externalAccounts } = this.#options
    switch (identity.kind) {
      case 'access': {
        const rights = (await tokens.isTrustedKey(identity.kid))
          ? await credentials.rightsOf(identity.account, identity.token)
          : null
        if (rights === null) throw invalidToken()
        return { account: identity.account, ...rights, authenticated: true, token: identity.token, ...signIn(identity) }
      }
      case 'acting': {
        const { acting } = this.#options
        if (acting === null || !(await tokens.isTrustedKey(identity.kid))) throw invalidToken()
        return acting.viewerOf(identity.token, (actor) => this.#viewerOf(actor))
      }
      case 'operator':
        if (!(await tokens.isTrustedKey(identity.kid))) throw invalidToken()
        return {
          account: null,
          roles: identity.roles,
          authenticated: true,
          token: identity.id,
          by: `operator:${identity.id}`,
        }
      case 'key': {
        const key = await credentials.findKey(identity.hash)
        if (key === null) throw invalidToken()
        return { account: null, roles: key.roles, authenticated: true, token: key.id }
      }
      case 'external': {
        // A restart may have removed the issuer of a ticket.
        const issuer = this.#options.externalIssuers.get(identity.issuer)
        if (issuer === undefined) throw invalidToken()
        const { createAccounts } = issuer.settings
        const account = hasAccounts ? await externalAccounts.accountOf(identity, createAccounts) : null
        const rights = account === null ? { roles: [] } : await credentials.rightsOf(account, null)
        if (rights === null) throw invalidToken()
        const viewer = {
          ...{ account, ...rights, roles: identity.roles ?? rights.roles, authenticated: true, token: identity.id },
          ...signIn(identity),
          ...(identity.named && { claims: identity.named }),
        }
        return account === null ? { ...viewer, by: `external:${identity.subject}` } : viewer
      }
    }
  }
}

function signIn({ signedInAt }: { signedInAt: number | null }): Pick<Viewer, 'signedInAt'> {
  return signedInAt === null ? {} : { signedInAt }
}

/** A WebSocket may write later. */
function mayWrite({ method, headers }: TicketRequest): boolean {
  return (method !== 'GET' && method !== 'HEAD') || headers.upgrade !== undefined
}

/** RFC 6750, 2.1, with one spelling for each token: one space, and no padding, which no token of ours has. */
function bearerOf(authorization: string): string {
  const [, token] = /^Bearer ([A-Za-z0-9._~+/-]+)$/i.exec(authorization) ?? []
  if (token !== undefined) return token
  throw /^Bearer(?: |$)/i.test(authorization) ? invalidToken() : noBearer()
}

/** Reads the unverified type and issuer of a token, to choose how to verify it. */
async function peek(text: string): Promise<{ typ: unknown; iss: unknown }> {
  const { decodeJwt, decodeProtectedHeader } = await import('jose') // loaded on first use
  try {
    return { typ: decodeProtectedHeader(text).typ, iss: decodeJwt(text).iss }
  } catch (cause) {
    throw invalidToken(cause)
  }
}

/** The permissions of a webhook's owner: an account with its current roles, an API key while it is valid, or an operator with
 *  the roles of the token that created or last changed the webhook. */
export interface OwnerViewers {
  ownerOf(viewer: Viewer): Promise<WebhookOwner>
  /** Null if the account was deleted or the key revoked. */
  currentViewer(owner: WebhookOwner): Promise<Viewer | null>
}

export function createOwnerViewers(credentials: CredentialStore): OwnerViewers {
  return {
    async ownerOf(viewer) {
      const { account, token } = viewer
      const isKey = account === null && token !== null && (await credentials.keys()).some(({ id }) => id === token)
      return { account, roles: isSystem(viewer) ? ['admin'] : viewer.roles, key: isKey ? token : null }
    },
    async currentViewer({ account, roles, key }) {
      const current = await rightsOf(account, key)
      return current && { account, roles, ...current, authenticated: true, token: key }
    },
  }

  /** Of an operator only the token had the roles. */
  async function rightsOf(account: string | null, key: string | null): Promise<Partial<AccountRights> | null> {
    if (account !== null) return credentials.rightsOf(account, null)
    if (key === null) return {}
    const found = (await credentials.keys()).find(({ id }) => id === key)
    return found === undefined ? null : { roles: found.roles }
  }
}
