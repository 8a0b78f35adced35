// Sessions in which somebody acts as an account, or as a role (docs/internals/decisions/0088-acting.md).
//
// 1. The rules of the account type decide who may (`ACT_AS`), at the beginning and once a second from then on.
// 2. A session ends after 15 minutes, or with the token of whoever acts. There is no refresh token.
// 3. Its viewer has the rights of the account or role alone, and never the role admin for whoever lacks it.
// 4. The token states an id only. Everything else is the row of the session, so that every node knows when it ends.

import { ApiError, type Log, neverWhileActing, uuidv7 } from '#base'
import { actorOf, type Viewer } from '#base/http'
import type { MayActAs } from '#engine'
import type { Resource } from '#model'
import type { ActingSession, CredentialStore } from '#store'
import { invalidToken, signInFirst } from '../auth-errors.ts'
import type { Identity } from '../tokens/identity.ts'
import type { SignedTokens } from '../tokens/signed-tokens.ts'
import type { IssuedActing } from '../tokens.ts'
import { type ActingInput, type ActingTarget, readActingInput } from './acting-input.ts'

const lifetimeMs = 15 * 60_000

interface ActingSessionsOptions {
  account: Resource
  /** The roles that the schema names. */
  roles: ReadonlySet<string>
  credentials: CredentialStore
  tokens: SignedTokens
  mayActAs: MayActAs
  clock: () => number
  log: Log
}

export class ActingSessions {
  readonly #options: ActingSessionsOptions

  constructor(options: ActingSessionsOptions) {
    this.#options = options
  }

  read(input: Record<string, unknown>): ActingInput {
    return readActingInput(input, this.#options.roles)
  }

  /** `identity` is that of the viewer, who acts from now on. */
  async begin(
    { target, readOnly, reason }: ActingInput,
    viewer: Viewer,
    identity: Identity | null,
  ): Promise<IssuedActing> {
    const { credentials, tokens, clock, log } = this.#options
    if (identity === null) throw signInFirst()
    if (viewer.acting !== undefined) throw neverWhileActing('act as somebody else')
    await this.#admit(target, viewer)
    const now = clock()
    // The token has whole seconds.
    const expires = Math.floor(Math.min(now + lifetimeMs, endOf(identity)) / 1000) * 1000
    const by = actorOf(viewer)
    const session: ActingSession = {
      ...{ id: uuidv7(now), ...target, created: now, expires, by, actor: viewer.account },
      ...{ identity: JSON.stringify(identity), readOnly, reason },
    }
    await credentials.createActing(session)
    const token = await tokens.signActing(session.id, by, expires)
    log.info({ token_id: session.id, by, as: nameOf(target), read_only: readOnly, reason }, 'a session that acts began')
    return { id: session.id, token, expiresAt: new Date(expires).toISOString(), readOnly, reason, by, how: 'ACTING' }
  }

  /** Whether the viewer may begin a session for every account. */
  async mayActAsAny(viewer: Viewer): Promise<boolean> {
    return viewer.acting === undefined && this.#options.mayActAs(null, viewer)
  }

  /** The viewer of a session. `actorBy` finds whoever acts, with current rights. Rejects with UNAUTHENTICATED if it has ended. */
  async viewerOf(id: string, actorBy: (identity: Identity) => Promise<Viewer>): Promise<Viewer> {
    const { credentials, mayActAs, clock } = this.#options
    const session = await credentials.findActing(id, clock())
    if (session === null) throw invalidToken()
    const { account, role, by, readOnly, reason } = session
    const actor = await actorBy(JSON.parse(session.identity) as Identity)
    if (!(await mayActAs(account, actor))) throw invalidToken()
    const rights = account === null ? { roles: [role!] } : await credentials.rightsOf(account, null)
    if (rights === null) throw invalidToken()
    const isAdmin = actor.roles.includes('admin')
    return {
      ...{ account, ...rights, roles: isAdmin ? rights.roles : rights.roles.filter((one) => one !== 'admin') },
      ...{ authenticated: true, token: id },
      by: `${by} as ${nameOf(session)}`,
      acting: { by, account: actor.account, client: actor.account ?? actor.token ?? id, readOnly, reason },
    }
  }

  /** Throws unless the viewer may act. Accounts that do not exist and accounts that the viewer may not act as are the same. */
  async #admit({ account, role }: ActingTarget, viewer: Viewer): Promise<void> {
    const { mayActAs, credentials, account: of } = this.#options
    const mayActAsAny = await mayActAs(null, viewer)
    if (role === 'admin' && !viewer.roles.includes('admin')) throw adminOnly()
    if (account === null) {
      if (!mayActAsAny) throw forbidden(of, 'a role')
      return
    }
    if (account === viewer.account) throw alreadyYou()
    const isAllowed = mayActAsAny || (await mayActAs(account, viewer))
    if (isAllowed && (await credentials.rightsOf(account, null)) !== null) return
    if (mayActAsAny || isAllowed)
      throw new ApiError('NOT_FOUND', `There is no ${of.name} with the id "${account}", or it is locked.`)
    throw forbidden(of, `the ${of.name} "${account}"`)
  }
}

/** Sessions and keys are checked at each use. Other identities end with their token. */
function endOf(identity: Identity): number {
  return identity.kind === 'access' ? Number.POSITIVE_INFINITY : identity.expires
}

function nameOf({ account, role }: Pick<ActingSession, 'account' | 'role'>): string {
  return account === null ? `role:${role}` : `account:${account}`
}

function forbidden({ name }: Resource, whom: string): ApiError {
  return new ApiError('FORBIDDEN', `You may not act as ${whom}.`, {
    hint: `A rule of the type ${name} must allow it: @allow(role: "…", to: [ACT_AS]).`,
  })
}

function adminOnly(): ApiError {
  return new ApiError('FORBIDDEN', 'Only the role admin may act as the role admin.')
}

function alreadyYou(): ApiError {
  return new ApiError('CONFLICT', 'This is your own account.', { hint: 'Use your own token.' })
}
