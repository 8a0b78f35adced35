// The store of credentials: logins, external identities, sessions (tokens), tickets, API keys, and the secrets that sign
// tokens. The module `auth` uses it. The APIs list and end tokens and API keys (`system-rows.ts`). No change of
// credentials is in the change log.
//
// Times are milliseconds since 1970.

import type { NewIdentity, NewSession } from '#plan'
import type { ChangedRow, IdempotentResult, RequestedChange } from '../change-once.ts'
import type { SignInCodeStore } from './sign-in-code-store.ts'

/** The part that needs no schema, so that the command line can use it too. */
export interface MachineCredentialStore {
  secrets(): Promise<Secret[]>
  /** Does nothing if a secret of that name exists. */
  saveSecret(secret: Secret): Promise<void>
  deleteSecrets(names: readonly string[]): Promise<void>

  /** Finds a key by its hash; null if there is none or it was revoked. */
  findKey(hash: string): Promise<ApiKey | null>
  /** With when each was last used, to the minute; null: never. */
  keys(): Promise<(ApiKey & { used: number | null })[]>
  /** Null if another request has made the change under its idempotency key. */
  createKey(key: ApiKey, hash: string, change?: RequestedChange): Promise<ChangedRow | null>
  /** False if there is no such key. */
  revokeKey(id: string, now: number, under?: IdempotentResult | null): Promise<boolean>
}

/** For the command line, which opens nothing else. */
export interface OpenCredentialStore extends MachineCredentialStore {
  close(): Promise<void>
}

export interface CredentialStore extends MachineCredentialStore {
  readonly identities: IdentityStore
  readonly signInCodes: SignInCodeStore
  /** Finds a login by its canonical form. */
  findLogin(login: string): Promise<Login | null>
  /** The hash of the account's password; null without one. */
  passwordHash(account: string): Promise<string | null>
  /** The current rights of an account; null if there is no such account, if it is locked, or if the token was revoked. */
  rightsOf(account: string, token: string | null): Promise<AccountRights | null>

  findToken(id: string): Promise<Token | null>
  /** False if `hash` is no longer that of the account's password: a password that was just changed lets nobody in, and neither does a locked account. */
  createToken(token: NewSession, hash: string): Promise<boolean>
  /** Advances the token to its next generation; null if it is of another generation, revoked or expired. */
  renewToken(id: string, generation: number, now: number, expires: number): Promise<Token | null>
  /** False if there is no such token, or it was revoked. */
  revokeToken(id: string, now: number, under?: IdempotentResult | null): Promise<boolean>
  /** Revokes the tokens of the account but this one, and returns their ids. */
  revokeTokens(account: string, except: string | null, now: number): Promise<string[]>
  /** Records when these sessions or API keys were last used. */
  recordUses(of: UsedCredential, ids: readonly string[], time: number): Promise<void>
  /** Deletes tokens that expired so long ago, and returns how many: at most `maxRows`. */
  deleteExpiredTokens(keptMs: number, maxRows: number): Promise<number>

  /** Begins a session in which somebody acts. An account acts in 20 at most: one more ends its oldest. */
  createActing(session: ActingSession): Promise<void>
  /** Null if there is no such session, or it has ended. */
  findActing(id: string, now: number): Promise<ActingSession | null>

  /** Also deletes expired tickets. */
  createTicket(ticket: Ticket): Promise<void>
  /** The first use before the ticket expires returns its identity. From then on the ticket has this proof and this expiry. */
  useTicket(hash: string, proof: string, now: number, expires: number): Promise<string | null>
  /** The identity of a ticket that was used with this proof. */
  findTicket(hash: string, proof: string, now: number): Promise<string | null>
}

/** Which account belongs to which identity of an external issuer. The create of an account attaches its first identity in its
 *  own transaction (`store/write/rows/accounts/logins.ts`); a delete of the account removes all of them. */
export interface IdentityStore {
  find(identity: Pick<NewIdentity, 'issuer' | 'subject'>): Promise<AttachedIdentity | null>
  /** The account that has this address as its login; null: there is none. An identity joins it by a write of its row
   *  (`store/write/rows/accounts/proofs.ts`). */
  accountWith(address: string): Promise<string | null>
  /** The account of an identity by its id; null: there is none. */
  ownerOf(id: string): Promise<string | null>
  /** Removes an identity of the account. False if it is the last way to sign in: no password, no other identity. */
  remove(id: string, account: string, under: IdempotentResult | null): Promise<boolean>
  /** Records the time, and the address if it is verified. */
  recordUse(identity: NewIdentity, now: number): Promise<void>
}

export interface AttachedIdentity {
  account: string
  /** The verified address in the canonical form of a login. */
  address: string | null
  used: number
}

/** What the row of an account says about its rights. */
export interface AccountRights {
  roles: string[]
  /** Whether its address is proven. */
  verified: boolean
}

/** A session in which somebody acts as an account or a role. */
export interface ActingSession {
  id: string
  /** Null: as a role. */
  account: string | null
  role: string | null
  created: number
  expires: number
  /** Who acts, as in the change log. */
  by: string
  /** The account of whoever acts; null: an operator or an API key. */
  actor: string | null
  /** Of whoever acts, as `auth` serializes it. */
  identity: string
  readOnly: boolean
  reason: string | null
}

/** For one stream and its reconnects. */
export interface Ticket {
  hash: string
  /** As `auth` serializes it. */
  identity: string
  expires: number
}

export interface Secret {
  name: string
  value: string
  created: number
}

/** Whose last use is known. */
export type UsedCredential = 'token' | 'key'

export interface ApiKey {
  id: string
  name: string | null
  roles: string[]
  created: number
}

export interface Login {
  account: string
  /** The hash of the password; null for an account without one. */
  hash: string | null
  isLocked: boolean
}

/** One for each sign-in, across all its renewals. */
export interface Token {
  id: string
  account: string
  generation: number
  created: number
  /** When it was created or last renewed. */
  used: number
  expires: number
  ended: boolean
  /** The name of the client that signed in; null if it sent none. */
  client: string | null
}
