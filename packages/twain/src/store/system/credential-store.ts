// What is kept of identity: who may sign in, who has, the keys of machines, and what tokens are signed with. Auth gives it
// its meaning; a store keeps it. It is no resource: nothing here can be asked for through a door, and nothing is logged.
//
// Times are milliseconds since 1970 here, as clocks give them.

/** The part that needs no contract, so that the command can reach it too. */
export interface MachineCredentialStore {
  secrets(): Promise<Secret[]>
  /** Unless there is one of that name already. */
  saveSecret(secret: Secret): Promise<void>
  deleteSecrets(names: readonly string[]): Promise<void>

  /** By the hash of the key; null when there is none or it was ended. */
  findKey(hash: string): Promise<ApiKey | null>
  keys(): Promise<ApiKey[]>
  createKey(key: ApiKey, hash: string): Promise<void>
  /** False when there is no such key. */
  revokeKey(id: string, now: number): Promise<boolean>
}

/** For the command, which opens nothing else. */
export interface OpenCredentialStore extends MachineCredentialStore {
  close(): Promise<void>
}

export interface CredentialStore extends MachineCredentialStore {
  /** By its canonical form. */
  findLogin(login: string): Promise<Login | null>
  /** The roles of an account as of now; null when there is no such account, or when the token was ended. */
  rolesOf(account: string, token: string | null): Promise<string[] | null>

  findToken(id: string): Promise<Token | null>
  /** The account's, without those that have ended or expired, newest first. */
  tokens(account: string, now: number): Promise<Token[]>
  /** Only if `hash` is still that of the account's password: one that was changed meanwhile lets nobody in. False then. */
  createToken(token: Token, hash: string): Promise<boolean>
  /** One generation on, if it is of this one still; null when it is not, or has ended or expired. */
  renewToken(id: string, generation: number, now: number, expires: number): Promise<Token | null>
  /** Takes the password of an account away, and ends what was signed in with it. */
  clearPassword(account: string, now: number): Promise<void>
  /** False when there is no such token of this account, or it has ended. */
  revokeToken(id: string, account: string, now: number): Promise<boolean>

  /** Takes along those that are over. */
  createTicket(ticket: Ticket, now: number): Promise<void>
  /** For the first that comes before it expires: whom it was given to, and from then on it has this proof and this end. */
  useTicket(hash: string, proof: string, now: number, expires: number): Promise<string | null>
  /** Whom a ticket was given to that was used with this proof. */
  findTicket(hash: string, proof: string, now: number): Promise<string | null>
}

/** For one stream and its reconnects. */
export interface Ticket {
  hash: string
  /** As auth writes it. */
  identity: string
  expires: number
}

export interface Secret {
  name: string
  value: string
  created: number
}

export interface ApiKey {
  id: string
  name: string | null
  roles: string[]
  created: number
}

export interface Login {
  account: string
  /** Of the password; null for an account that has none. */
  hash: string | null
}

/** One for each signing in, whatever is renewed in it. */
export interface Token {
  id: string
  account: string
  generation: number
  created: number
  /** When it was made or last renewed. */
  used: number
  expires: number
  ended: boolean
}
