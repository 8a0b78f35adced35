// Sign-in and tokens as the REST and GraphQL adapters use them.

import type { MaybePromise } from '#base'
import type { HttpRequest, Viewer } from '#base/http'
import type { Confirmation } from '#plan'

export interface Tokens {
  /** Takes `{<login field>, password}` or `{refreshToken}`; other input rejects with all problems. `address` is the client's
   *  address, by which failed attempts are counted; `client` is what it calls itself (`clientOf`). */
  signIn(input: Record<string, unknown>, address: string, client?: string): Promise<IssuedToken>
  /** Takes `{"for": "stream"}` of a signed-in viewer; other input rejects with all problems. */
  makeTicket(input: Record<string, unknown>, viewer: () => MaybePromise<Viewer>): Promise<IssuedTicket>
  /** Throws an ApiError with all problems of the input of `signIn` or `makeTicket`. */
  validate(input: Record<string, unknown>): void
  /** The field by which the input names the login, as a deprecation names it: `User.email`. Null: it names none. */
  loginPath(input: Record<string, unknown>): string | null
  /** Whether the input is one for `makeTicket`. */
  isTicketInput(input: Record<string, unknown>): boolean
  /** The viewer, for requests that need no authentication. */
  viewerOf(request: Pick<HttpRequest, 'headers'>): MaybePromise<Viewer>
  /** The hash to store. Rejects with UNAVAILABLE if too many wait. */
  hashPassword(password: string, client: string): Promise<string>
  /** What confirms that the viewer may change the password and login of their own account: the current password, or without
   *  one a sign-in of the last five minutes. Null: nothing does. Rejects with TOO_MANY_REQUESTS after wrong passwords. */
  confirm(viewer: Viewer, currentPassword: string | null): Promise<Confirmation | null>
}

/** Times are RFC 3339 in UTC. */
export interface IssuedToken {
  id: string
  token: string
  refreshToken: string
  /** When `token` expires; `refreshToken` then renews it. */
  expiresAt: string
}

export interface IssuedTicket {
  /** The hash under which it is stored; not a credential. */
  id: string
  /** The value of `?ticket=` for one stream. */
  ticket: string
  /** The stream must open before this time. */
  expiresAt: string
}
