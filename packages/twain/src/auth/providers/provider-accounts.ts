// The account of an identity at a provider.
//
// 1. An identity belongs to the account that it was attached to, whatever address the provider gives later.
// 2. It joins an existing account only by a proven address that is the account's login. If nobody had proven it before, the account
//    is emptied first (docs/internals/decisions/0081-proven-addresses.md); else it keeps everything.
// 3. Otherwise it makes an account, by the rules of an anonymous create. A login that another account has is a conflict: its owner
//    signs in as before, and links the identity.

import { ApiError } from '#base'
import type { IdentityStore } from '#store'
import type { ProveAccount } from '../codes/account-codes.ts'
import type { ProviderIdentity } from './sign-in-codes.ts'

/** Creates the account of an identity, in one transaction with it, as an anonymous viewer would, and returns its id. */
export type MakeProviderAccount = (identity: ProviderIdentity, input: Record<string, unknown> | null) => Promise<string>

/** How exactly the last use of an identity is known. */
const usedPrecisionMs = 60 * 60_000

interface ProviderAccountsOptions {
  identities: IdentityStore
  proveAccount: ProveAccount
  makeAccount: MakeProviderAccount
  clock: () => number
}

export class ProviderAccounts {
  readonly #options: ProviderAccountsOptions

  constructor(options: ProviderAccountsOptions) {
    this.#options = options
  }

  /** Rejects with CONFLICT if the account exists but does not join, or if a new one lacks fields. */
  async accountOf(identity: ProviderIdentity, input: Record<string, unknown> | null): Promise<string> {
    return (await this.#find(identity)) ?? (await this.#join(identity)) ?? (await this.#create(identity, input))
  }

  async #find(identity: ProviderIdentity): Promise<string | null> {
    const { identities, clock } = this.#options
    const found = await identities.find(identity)
    if (found === null) return null
    const now = clock()
    // A failure to record the use must not fail the sign-in.
    if (now - found.used > usedPrecisionMs) identities.recordUse({ ...identity, address: null }, now).catch(() => {})
    return found.account
  }

  async #join({ provider, issuer, subject, email, isProven }: ProviderIdentity): Promise<string | null> {
    if (email === null || !isProven) return null
    const { identities, proveAccount } = this.#options
    const account = await identities.accountWith(email)
    if (account === null) return null
    try {
      await proveAccount(account, { kind: 'identity', identity: { issuer, subject, address: email, provider } })
      return account
    } catch (error) {
      // The account was deleted, or has another address by now.
      if (error instanceof ApiError && ['NOT_FOUND', 'UNAUTHENTICATED'].includes(error.code)) return null
      throw error
    }
  }

  async #create(identity: ProviderIdentity, input: Record<string, unknown> | null): Promise<string> {
    try {
      return await this.#options.makeAccount(identity, input)
    } catch (error) {
      // A concurrent request with the same code may have attached it.
      const attached = await this.#find(identity)
      if (attached === null) throw error
      return attached
    }
  }
}
