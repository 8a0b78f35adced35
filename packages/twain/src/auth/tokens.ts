// What the doors see of signing in.

import type { HttpRequest, MaybePromise, Viewer } from '#base'

export interface Tokens {
  /** Either `{<login field>, password}` or `{refreshToken}`; anything else is a Fault that names each place. `address` is
   *  where the request came from: guesses are counted by it. */
  signIn(input: Record<string, unknown>, address: string): Promise<IssuedToken>
  /** `{"for": "stream"}`, for who is signed in; anything else in it is a Fault. */
  makeTicket(input: Record<string, unknown>, viewer: () => MaybePromise<Viewer>): Promise<IssuedTicket>
  /** A Fault that names all that is wrong with what is said to either. */
  validate(input: Record<string, unknown>): void
  /** Whether the input is one for `makeTicket`. */
  isTicketInput(input: Record<string, unknown>): boolean
  /** Who asks, where a request need not say. */
  viewerOf(request: Pick<HttpRequest, 'headers'>): MaybePromise<Viewer>
  /** The viewer's own, newest first; a Fault UNAUTHENTICATED for someone unknown. */
  list(viewer: Viewer): Promise<TokenInfo[]>
  /** False when the viewer has no such token. */
  end(viewer: Viewer, id: string): Promise<boolean>
  /** What is kept of a password; a Fault UNAVAILABLE when too many wait for theirs. */
  hashPassword(password: string): Promise<string>
}

/** The times are RFC 3339 in UTC. */
export interface IssuedToken {
  id: string
  token: string
  refreshToken: string
  /** When `token` ends; `refreshToken` then gives another. */
  expiresAt: string
}

export interface IssuedTicket {
  /** By which it is kept; it opens nothing. */
  id: string
  /** For `?ticket=` of one stream. */
  ticket: string
  /** Until when the stream must have begun. */
  expiresAt: string
}

export interface TokenInfo {
  id: string
  createdAt: string
  /** When it was made or last renewed. */
  lastUsedAt: string
  /** When it ends if it is not renewed. */
  expiresAt: string
}
