// The codes of sign-ins with providers: an application gets one, and exchanges it for a session or links the identity to an
// account. Times are milliseconds since 1970.

import type { IdempotencyKey } from '#base/http'
import type { NewIdentity, NewSession } from '#plan'

export interface SignInCode {
  /** SHA-256 of the code. */
  hash: string
  /** S256 of the application's verifier. */
  challenge: string
  /** The identity, encrypted. */
  body: string
  created: number
  expires: number
}

export interface SignInCodeStore {
  /** Also deletes expired codes. */
  create(code: SignInCode): Promise<void>
  /** Null: there is no such code, it was used, or it has expired. */
  find(hash: string, now: number): Promise<SignInCode | null>
  /** Lets the code last until this time. */
  extend(hash: string, until: number): Promise<void>
  /** Uses the code up and begins the session, in one transaction. False if the code was used meanwhile, or the identity does not
   *  belong to the account of the session any more. */
  signIn(
    hash: string,
    identity: Pick<NewIdentity, 'issuer' | 'subject'>,
    session: NewSession,
    now: number,
  ): Promise<boolean>
  /** Uses the code up and attaches the identity to the account, in one transaction. Null if the code was used meanwhile. With a key,
   *  `linkedUnder` finds the identity later. */
  link(
    hash: string,
    identity: ProviderSubject,
    account: string,
    now: number,
    key: IdempotencyKey | null,
  ): Promise<LinkedIdentity | null>
  /** What `link` attached under the key; null: nothing. Throws an ApiError if the key was used for another request. */
  linkedUnder(key: IdempotencyKey): Promise<LinkedIdentity | null>
}

/** An identity at a provider. */
export type ProviderSubject = NewIdentity & { provider: string }

/** An identity, with the account that it belongs to. */
export interface LinkedIdentity {
  id: string
  account: string
  provider: string
  issuer: string
  subject: string
  createdAt: string
  lastUsedAt: string
}
