// The account of an identity at an external issuer.
//
// 1. An identity is the exact `iss` and the exact value of the account claim. The first arrival attaches it to an account; from
//    then on it is that account, whatever its other claims say.
// 2. The first arrival joins an existing account only by an address that the issuer has verified, and that is the account's
//    login. If nobody has proven the address before, somebody else may have signed up with it: the account loses its
//    password, its sessions and its other identities.
// 3. Otherwise it creates an account, if the issuer may. A login that looks like that of another account is a conflict.

import { ApiError } from '#base'
import type { IdentityStore } from '#store'
import { noAccount } from './auth-errors.ts'
import type { ProveAccount } from './codes/account-codes.ts'
import type { ExternalIdentity } from './tokens/external-issuer.ts'

/** How exactly the last use of an identity is known. */
const usedPrecisionMs = 60 * 60_000

interface ExternalAccountsOptions {
  identities: IdentityStore
  /** Creates the account of an identity, in one transaction with the identity, and returns its id. Null: nothing can. */
  makeAccount: ((identity: ExternalIdentity) => Promise<string>) | null
  proveAccount: ProveAccount
  clock: () => number
}

export class ExternalAccounts {
  readonly #options: ExternalAccountsOptions

  constructor(options: ExternalAccountsOptions) {
    this.#options = options
  }

  /** The id of the account. `mayCreate`: the issuer may create accounts. */
  async accountOf(identity: ExternalIdentity, mayCreate: boolean): Promise<string> {
    return (await this.#find(identity)) ?? (await this.#join(identity)) ?? (await this.#create(identity, mayCreate))
  }

  async #find(identity: ExternalIdentity): Promise<string | null> {
    const { identities, clock } = this.#options
    const found = await identities.find(identity)
    if (found === null) return null
    const now = clock()
    const isNewlyVerified = identity.address !== null && found.address === null
    // A failure to record the use must not fail the request.
    if (isNewlyVerified || now - found.used > usedPrecisionMs) identities.recordUse(identity, now).catch(() => {})
    return found.account
  }

  /** Null: no account has the verified address. */
  async #join({ issuer, subject, address }: ExternalIdentity): Promise<string | null> {
    if (address === null) return null
    const { identities, proveAccount } = this.#options
    const account = await identities.accountWith(address)
    if (account === null) return null
    try {
      await proveAccount(account, { kind: 'identity', identity: { issuer, subject, address } })
      return account
    } catch (error) {
      // The account was deleted, or has another address by now.
      if (error instanceof ApiError && ['NOT_FOUND', 'UNAUTHENTICATED'].includes(error.code)) return null
      throw error
    }
  }

  async #create(identity: ExternalIdentity, mayCreate: boolean): Promise<string> {
    const { makeAccount } = this.#options
    try {
      if (makeAccount === null || !mayCreate) throw noAccount()
      return await makeAccount(identity)
    } catch (error) {
      // A concurrent first request of the same identity may have attached it.
      const attached = await this.#find(identity)
      if (attached === null) throw error
      return attached
    }
  }
}
