// Sign-in and tokens as the REST and GraphQL adapters use them.

import { ApiError, type MaybePromise } from '#base'
import type { HttpRequest, IdempotencyKey, RequestCaller, Viewer } from '#base/http'
import type { BoundPlan, Confirmation, LoginChange, SignUp, WritePlan } from '#plan'
import type { LinkPurpose } from '#store'

export type { LinkPurpose } from '#store'

export interface Tokens {
  /** Takes `{<login field>, password}`, `{<login field>, code, secret}` with or without a new password, `{code, verifier}` with or
   *  without `input`, or `{refreshToken}`; other input rejects with all problems. `address` is the client's
   *  address, by which failed attempts are counted; `client` is what it calls itself (`clientOf`). */
  signIn(input: Record<string, unknown>, address: string, client?: string): Promise<IssuedToken>
  /** Ends all sessions of the viewer's account but the present one (`{current: false}`), or every one (`{all: true}`); those of another
   *  `account` for administrators. Returns their ids. Other input rejects with all problems. */
  endSessions(input: Record<string, unknown>, viewer: Viewer): Promise<string[]>
  /** Takes `{as, readOnly, reason}`: the viewer acts as somebody. Other input rejects with all problems. */
  actAs(input: Record<string, unknown>, viewer: () => MaybePromise<Viewer>): Promise<IssuedActing>
  /** Whether the input is one for `actAs`. */
  isActingInput(input: Record<string, unknown>): boolean
  /** Whether the viewer may act as every account, and so as a role. */
  mayActAsAny(viewer: Viewer): Promise<boolean>
  /** Takes `{"for": "stream"}` of a signed-in viewer; other input rejects with all problems. */
  makeTicket(input: Record<string, unknown>, viewer: () => MaybePromise<Viewer>): Promise<IssuedTicket>
  /** Throws an ApiError with all problems of the input of `signIn`, `actAs` or `makeTicket`. */
  validate(input: Record<string, unknown>): void
  /** The field by which the input names the login, as a deprecation names it: `User.email`. Null: it names none. */
  loginPath(input: Record<string, unknown>): string | null
  /** Whether the input is one for `makeTicket`. */
  isTicketInput(input: Record<string, unknown>): boolean
  /** The viewer, for requests that need no authentication. */
  viewerOf(request: Pick<HttpRequest, 'headers'>): MaybePromise<Viewer>
  /** The viewer of a request that would be refused, if the rights of its account have grown since they were read; null otherwise. */
  refreshed(viewer: Viewer): Promise<Viewer | null>
  /** The present rights of an account; null if it is locked, or there is none. */
  rightsOf(account: string): Promise<{ roles: readonly string[]; verified: boolean } | null>
  /** The hash to store. Rejects with UNAVAILABLE if too many wait. */
  hashPassword(password: string, client: string): Promise<string>
  /** Counts somebody who signs up from this address. Rejects with TOO_MANY_REQUESTS, or as custom code does. */
  admitSignUp(signUp: { login: string; captcha: string | null }, address: string): Promise<void>
  /** What confirms that the viewer may change the password and login of their own account: the current password, or without
   *  one a sign-in of the last five minutes. Null: nothing does. Rejects with TOO_MANY_REQUESTS after wrong passwords. */
  confirm(viewer: Viewer, currentPassword: string | null): Promise<Confirmation | null>
  /** A change of a login for a rehearsal; null: logins change at once. */
  readonly rehearsedChange?: LoginChange | null
  /** Called when a confirmed write is committed: its mails wait in the queue. */
  confirmed?(): void
  /** Null: logins are no addresses. */
  readonly codes: Codes | null
  /** Null: an account is there before its address is proven. */
  readonly signUps: SignUpService | null
  /** Null: logins are no addresses. */
  readonly invitations: InvitationService | null
  /** Null: nobody signs in with a provider. */
  readonly providers: Providers | null
  /** Attaches an identity at a provider to the account of the viewer. Takes `{code, verifier}`, with or without `currentPassword`;
   *  other input rejects with all problems. The same request with the same key gets the same identity. */
  linkIdentity(input: Record<string, unknown>, viewer: Viewer, key: IdempotencyKey | null): Promise<LinkResult>
  /** Throws an ApiError with all problems of the input of `linkIdentity`. */
  validateLink(input: Record<string, unknown>): void
}

/** Sign-in with providers, as the adapters use it. */
export interface Providers {
  /** The request that sends a browser to the provider. `cookies` is the header of the request. Throws NOT_FOUND for an unknown name,
   *  and with all problems of the parameters. */
  begin(name: string, parameters: URLSearchParams, cookies: string | undefined): Promise<BrowserStep>
  /** Whether the provider calls back with a form (`receiveForm`). */
  takesForm(name: string): boolean
  receiveForm(name: string, form: string): Promise<BrowserStep>
  /** The request with which the browser comes back. Throws BAD_REQUEST if this browser began no such sign-in. */
  finish(name: string, parameters: URLSearchParams, cookies: string | undefined): Promise<BrowserStep>
}

/** Where a browser goes next, and the cookies that it gets. */
export interface BrowserStep {
  location: string
  cookies: string[]
}

export interface LinkResult {
  identity: AttachedProvider
  /** Whether an earlier request with the same key attached it. */
  replayed: boolean
}

/** An identity that belongs to an account. Times are RFC 3339 in UTC. */
export interface AttachedProvider {
  id: string
  /** The id of the account. */
  account: string
  provider: string
  issuer: string
  subject: string
  createdAt: string
  lastUsedAt: string
}

/** Creates the account from the input of its sign-up, as an anonymous viewer, and returns its id. */
export type CreateSignedUp = (input: Record<string, unknown>, signUp: SignUp) => Promise<string>

/** Sign-up where the address must be proven first, as the adapters use it. */
export interface SignUpService {
  /** `boundPlan` creates the account from the input. */
  begin(
    boundPlan: BoundPlan<WritePlan>,
    input: Record<string, unknown>,
    viewer: Viewer,
    caller?: RequestCaller,
  ): Promise<IssuedCode>
}

/** Invitations, as the adapters use them. */
export interface InvitationService {
  /** Throws if the viewer may invite nobody. */
  admit(viewer: Viewer): void
  /** `boundPlan` creates the account from the input, without a password. Only an operator learns the token of the link; null: nobody
   *  can use it. */
  create(
    boundPlan: BoundPlan<WritePlan>,
    input: Record<string, unknown>,
    viewer: Viewer,
    caller?: RequestCaller,
  ): Promise<{ invitation: Invitation; token: string | null }>
  /** Invites the owner of an account without a password, for an operator: it tells whether there is one. Returns the token of the
   *  link; null: the address has no such account. */
  inviteOwner(address: string): Promise<string | null>
  /** Those that wait, the newest first: of the viewer; for the role admin, of everybody. */
  list(viewer: Viewer): Promise<Invitation[]>
  /** Mails one that waits with a new link. Rejects with NOT_FOUND as `delete` returns false. */
  resend(id: string, viewer: Viewer): Promise<Invitation>
  /** False: there is none, or it is that of somebody else. */
  delete(id: string, viewer: Viewer): Promise<boolean>
}

/** An invitation that does not wait, or is that of somebody else. */
export function unknownInvitation(id: string): ApiError {
  return new ApiError('NOT_FOUND', `There is no invitation with the id "${id}".`, {
    hint: 'It was accepted or withdrawn, has expired, or somebody else has made it.',
  })
}

/** What a client sees of an invitation. Times are RFC 3339 in UTC. */
export interface Invitation {
  id: string
  /** By the name of the login field. */
  [login: string]: string | null
  createdAt: string
  expiresAt: string
}

/** Codes that are mailed, as the adapters use them. */
export interface Codes {
  /** Takes `{for, <login field>}`; other input rejects with all problems. `address` is the client's, by which mails are counted. */
  create(input: Record<string, unknown>, address: string): Promise<IssuedCode>
  /** Throws an ApiError with all problems of the input of `create`. */
  validate(input: Record<string, unknown>): void
  /** What the link of a mail is for; null if it can't be used. Looking changes nothing. */
  linkPurpose(token: string): Promise<LinkPurpose | null>
  /** Uses the link of a mail, and returns what it was for. Only a reset needs a password: for others it may be ''.
   *  Rejects with VALIDATION_FAILED or UNAUTHENTICATED. */
  useLink(token: string, password: string, address: string): Promise<LinkPurpose>
  /** Takes `{<login field>, code, secret}`, or of a viewer with an account `{<login field>, code}` for a change of their login; other
   *  input rejects with all problems. `create` creates the account of a sign-up, in place of the one that answers nothing of it. */
  verify(
    input: Record<string, unknown>,
    viewer: Viewer,
    address: string,
    create?: CreateSignedUp,
  ): Promise<VerifiedAccount>
  /** Throws an ApiError with all problems of the input of `verify`. */
  validateVerification(input: Record<string, unknown>, viewer: Viewer): void
}

/** An account whose address is proven. */
export interface VerifiedAccount {
  /** Its id. */
  account: string
  /** RFC 3339 in UTC. */
  verifiedAt: string
}

/** The same for addresses with and without an account. */
export interface IssuedCode {
  /** Belongs to the code of the mail: whoever has both may use it. */
  secret: string
  expiresAt: string
}

/** Times are RFC 3339 in UTC. */
export interface IssuedToken {
  id: string
  token: string
  refreshToken: string
  /** When `token` expires; `refreshToken` then renews it. */
  expiresAt: string
  /** Of a sign-in: shows later that this device has signed in to the account. It lets nobody in. */
  device?: string
}

/** A session in which somebody acts. It can't be renewed. */
export interface IssuedActing {
  id: string
  token: string
  expiresAt: string
  readOnly: boolean
  reason: string | null
  /** Who acts, as in the change log. */
  by: string
  how: 'ACTING'
}

export interface IssuedTicket {
  /** The hash under which it is stored; not a credential. */
  id: string
  /** The value of `?ticket=` for one stream. */
  ticket: string
  /** The stream must open before this time. */
  expiresAt: string
}
