// Sign-in with providers as a part of auth: the flow of the browser, the use of its code, and the link of an identity.

import { ApiError, type Log } from '#base'
import type { IdempotencyKey, Viewer } from '#base/http'
import type { NewSession } from '#plan'
import type { CredentialStore, LinkedIdentity } from '#store'
import type { ProveAccount } from '../codes/account-codes.ts'
import type { AuthSettings } from '../settings.ts'
import type { LoginSessions } from '../sign-in/login-sessions.ts'
import type { SignInCheck } from '../sign-in/sign-in-check.ts'
import type { DerivedKeys } from '../tokens/derived-keys.ts'
import type { AttachedProvider, IssuedToken, LinkResult, Providers, Tokens } from '../tokens.ts'
import { type MakeProviderAccount, ProviderAccounts } from './provider-accounts.ts'
import type { IdentityInput, ProviderSignInInput } from './provider-input.ts'
import { type ProviderEnvironment, ProviderSignIn } from './provider-sign-in.ts'
import { invalidSignInCode, SignInCodes } from './sign-in-codes.ts'

interface OpenProvidersOptions {
  settings: AuthSettings
  environment: ProviderEnvironment
  credentials: CredentialStore
  keys: DerivedKeys
  sessions: LoginSessions
  proveAccount: ProveAccount
  makeAccount: MakeProviderAccount
  checkSignIn: SignInCheck | null
  /** Confirms that the owner of an account changes how it signs in. */
  confirm: Tokens['confirm']
  /** The names of claims that a new account may take. */
  accountClaims: readonly string[]
  clock: () => number
  log: Log
}

export interface OpenProviders extends Providers {
  signIn(input: ProviderSignInInput, caller: { address: string; client: string }): Promise<IssuedToken>
  link(input: IdentityInput, viewer: Viewer, key: IdempotencyKey | null): Promise<LinkResult>
}

export function openProviders(options: OpenProvidersOptions): OpenProviders {
  const { settings, environment, credentials, keys, sessions, checkSignIn, confirm, clock, log } = options
  const { identities, signInCodes: store } = credentials
  const codes = new SignInCodes(store, keys, clock)
  const { proveAccount, makeAccount, accountClaims } = options
  const accounts = new ProviderAccounts({ identities, proveAccount, makeAccount, clock })
  const flow = new ProviderSignIn({ settings, environment, codes, keys, accountClaims, clock, log })

  return {
    begin: (name, parameters, cookies) => flow.begin(name, parameters, cookies),
    takesForm: (name) => flow.takesForm(name),
    receiveForm: (name, form) => flow.receiveForm(name, form),
    finish: (name, parameters, cookies) => flow.finish(name, parameters, cookies),
    link,
    signIn,
  }

  async function signIn(read: ProviderSignInInput, caller: { address: string; client: string }): Promise<IssuedToken> {
    const found = await codes.find(read)
    const { hash, identity } = found
    const account = await accounts.accountOf(identity, read.input).catch(async (error) => {
      if (isIncomplete(error)) await codes.keepOpen(found)
      throw error
    })
    // A locked account has no rights.
    if ((await credentials.rightsOf(account, null)) === null) throw invalidSignInCode()
    await checkSignIn?.(account, 'provider')
    const save = (session: NewSession) => store.signIn(hash, identity, session, clock())
    const issued = await sessions.beginByProvider(account, caller, save)
    if (issued === null) throw invalidSignInCode()
    return issued
  }

  async function link(read: IdentityInput, viewer: Viewer, key: IdempotencyKey | null): Promise<LinkResult> {
    const { account } = viewer
    if (account === null) throw noOwnAccount()
    const earlier = await linkedUnder(key)
    if (earlier !== null) return earlier
    try {
      return { identity: await attach(read, viewer, account, key), replayed: false }
    } catch (error) {
      // A concurrent request with the same key may have used the code.
      const other = await linkedUnder(key)
      if (other === null) throw error
      return other
    }
  }

  async function linkedUnder(key: IdempotencyKey | null): Promise<LinkResult | null> {
    const found = key && (await store.linkedUnder(key))
    return found && { identity: attached(found), replayed: true }
  }

  async function attach(
    read: IdentityInput,
    viewer: Viewer,
    account: string,
    key: IdempotencyKey | null,
  ): Promise<AttachedProvider> {
    const confirmation = await confirm(viewer, read.currentPassword)
    if (confirmation === null || confirmation.kind === 'wrongPassword') throw unconfirmed(confirmation !== null)
    const { hash, identity } = await codes.find(read)
    const { provider, issuer, subject, email, isProven } = identity
    const address = isProven ? email : null
    const linked = await store.link(hash, { provider, issuer, subject, address }, account, clock(), key)
    if (linked === null) throw invalidSignInCode()
    if (linked.account !== account) throw ofAnotherAccount(provider)
    return attached(linked)
  }
}

/** A repeated answer has the same members in the same order. */
function attached({ id, account, provider, issuer, subject, createdAt, lastUsedAt }: LinkedIdentity): AttachedProvider {
  return { id, account, provider, issuer, subject, createdAt, lastUsedAt }
}

/** The account lacks fields, which the person can fill in. */
function isIncomplete(error: unknown): boolean {
  return error instanceof ApiError && error.problems.some(({ path }) => path.startsWith('input.'))
}

function noOwnAccount(): ApiError {
  return new ApiError('FORBIDDEN', 'This token has no account that could get another way to sign in.')
}

function unconfirmed(isWrong: boolean): ApiError {
  return new ApiError('REAUTHENTICATION_REQUIRED', 'Another way to sign in needs your current password.', {
    hint: 'Send the current password as currentPassword, or sign in again with POST /tokens (createToken): a sign-in counts for five minutes.',
    problems: [
      isWrong
        ? { path: 'currentPassword', code: 'WRONG', message: 'is wrong.' }
        : { path: 'currentPassword', code: 'REQUIRED', message: 'is required.' },
    ],
  })
}

function ofAnotherAccount(provider: string): ApiError {
  return new ApiError('CONFLICT', `This identity at ${provider} belongs to another account.`, {
    hint: 'Sign in with the provider to reach that account. It can remove the identity: DELETE /identities/{id} (deleteIdentity).',
    problems: [{ path: 'code', code: 'UNIQUE', message: 'belongs to another account.' }],
  })
}
