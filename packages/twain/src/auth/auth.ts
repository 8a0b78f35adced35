// Creates authentication: viewers, sign-in and sign-out, passwords. Adapters use `Tokens`; the HTTP server uses `viewerOf`.

import {
  type CacheBudget,
  canonicalLogin,
  type Log,
  type MaybePromise,
  neverWhileActing,
  type Problem,
  uuidv7,
  validationError,
} from '#base'
import { networkOf, unknownClient, type Viewer } from '#base/http'
import { steadyClock } from '#base/time'
import type { MayActAs } from '#engine'
import type { Account, Model } from '#model'
import type { Named } from '#model/names'
import { actingRoles, checkPassword } from '#plan'
import type { AttemptStore, CodeStore, CredentialStore } from '#store'
import { isActingInput } from './acting/acting-input.ts'
import { ActingSessions } from './acting/acting-sessions.ts'
import { noProviders, signInFirst } from './auth-errors.ts'
import { AccountCodes, type ProveAccount } from './codes/account-codes.ts'
import { readVerification } from './codes/code-input.ts'
import { ExternalAccounts } from './external-accounts.ts'
import { Invitations, type InvitationsOptions } from './invitations/invitations.ts'
import { issuersOf } from './issuer-settings.ts'
import { openProviders } from './providers/open-providers.ts'
import type { MakeProviderAccount } from './providers/provider-accounts.ts'
import { isProviderInput, readIdentityInput, readProviderSignIn } from './providers/provider-input.ts'
import type { ProviderEnvironment } from './providers/provider-sign-in.ts'
import { endSessions } from './sessions/end-sessions.ts'
import { SessionUpkeep } from './sessions/session-upkeep.ts'
import { type AuthSettings, defaultAuthSettings } from './settings.ts'
import { KnownDevices } from './sign-in/known-devices.ts'
import { LoginAttempts } from './sign-in/login-attempts.ts'
import { LoginSessions } from './sign-in/login-sessions.ts'
import { OwnerConfirmation } from './sign-in/owner-confirmation.ts'
import { Passwords } from './sign-in/passwords.ts'
import { type AttemptLimits, counted, defaultAttemptLimits, SharedAttempts } from './sign-in/shared-attempts.ts'
import type { AttemptCheck, SignInCheck } from './sign-in/sign-in-check.ts'
import { isTicketInput, nameIn, readSignIn, readTicketInput } from './sign-in/sign-in-input.ts'
import { SignUps, type SignUpsOptions } from './sign-up/sign-ups.ts'
import { DerivedKeys } from './tokens/derived-keys.ts'
import { type ExternalIdentity, ExternalIssuer } from './tokens/external-issuer.ts'
import { SignedTokens } from './tokens/signed-tokens.ts'
import { SigningKeys } from './tokens/signing-keys.ts'
import { type TicketRequest, Tickets } from './tokens/tickets.ts'
import type { Codes, Tokens } from './tokens.ts'
import { claimReporter, usedClaims, warnOfUnusedClaims } from './used-claims.ts'
import { createOwnerViewers, type OwnerViewers, Viewers } from './viewers.ts'

export interface Auth {
  /** The viewer of a request. Throws UNAUTHENTICATED if the `authorization` header or the ticket of a stream is invalid. */
  viewerOf(request: TicketRequest): MaybePromise<Viewer>
  /** Null if the schema has no account type. */
  readonly tokens: Tokens | null
  /** The permissions of webhooks, which run without a request. */
  readonly owners: OwnerViewers
  /** A token without an account, for so many seconds. */
  signOperator(roles: readonly string[], seconds: number): Promise<{ token: string; expiresAt: string }>
  /** Decrypts the bodies of mails. */
  readonly derivedKeys: DerivedKeys
  /** Saves when sessions were last used. */
  readonly upkeep: SessionUpkeep
}

export interface AuthOptions {
  model: Model
  credentials: CredentialStore
  /** Failures of all nodes. */
  attempts: AttemptStore
  /** Null or absent: logins are no addresses. */
  codes?: CodeStore | null
  /** Whether mails leave the service. Default: no. */
  sendsMail?: boolean
  log: Log
  settings?: (AuthSettings & Partial<AttemptLimits>) | undefined
  /** Milliseconds since 1970. It never goes back. */
  clock?: (() => number) | undefined
  /** Creates the account of an identity of an external issuer, in one transaction with the identity, and returns its id. */
  makeAccount?: (identity: ExternalIdentity) => Promise<string>
  /** Writes the account whose address is proven. Absent: no code can be used, and no identity joins an account. */
  proveAccount?: ProveAccount
  /** Null or absent: nobody signs in with a provider. */
  providers?: ProviderEnvironment | null
  /** Creates the account of an identity at a provider. */
  makeProviderAccount?: MakeProviderAccount
  /** Writes the accounts of those who sign up and prove their address first. Null or absent: nobody can. */
  signUp?: (Pick<SignUpsOptions, 'rehearse' | 'create'> & Pick<InvitationsOptions, 'createInvited'>) | null
  /** Whether the rules let a viewer act as an account. Absent: nobody may. */
  mayActAs?: MayActAs
  /** Null: no custom code decides on attempts. */
  checkAttempt?: AttemptCheck | null
  /** Null: every account with the right credentials may sign in. */
  checkSignIn?: SignInCheck | null
  caches?: CacheBudget
}

/** Creates a signing key if there is none. */
export async function createAuth({
  model,
  credentials,
  attempts: attemptStore,
  codes: codeStore = null,
  sendsMail = false,
  log,
  settings = defaultAuthSettings,
  clock = steadyClock(),
  makeAccount,
  proveAccount = noProof,
  providers: providerEnvironment = null,
  makeProviderAccount = noAccounts,
  signUp = null,
  mayActAs = async () => false,
  checkAttempt = null,
  checkSignIn = null,
  caches,
}: AuthOptions): Promise<Auth> {
  const keys = new SigningKeys(credentials, settings, clock)
  await keys.current()
  const derivedKeys = new DerivedKeys(keys)
  const tokens = new SignedTokens(keys, clock)
  const tickets = new Tickets(credentials, clock)
  const used = usedClaims(model)
  const issuers = issuersOf(settings)
  if (issuers.length === 0) warnOfUnusedClaims(model, log)
  const upkeep = new SessionUpkeep({ credentials, log })
  const acting =
    model.account &&
    new ActingSessions({
      account: model.account.resource,
      roles: actingRoles(model),
      credentials,
      tokens,
      mayActAs,
      clock,
      log,
    })
  const viewers = new Viewers({
    tickets,
    acting,
    hasAccounts: model.account !== null,
    credentials,
    tokens,
    externalIssuers: new Map(issuers.map((one) => [one.issuer, new ExternalIssuer(one, clock, used)])),
    externalAccounts: new ExternalAccounts({
      identities: credentials.identities,
      makeAccount: makeAccount ?? null,
      proveAccount,
      clock,
    }),
    checkSignIn,
    checkClaims: claimReporter(model, log),
    streamPaths: streamPathsOf(model),
    noteUse: (of, id, now) => upkeep.note(of, id, now),
    clock,
    caches,
  })
  return {
    viewerOf: (request) => viewers.viewerOf(request),
    owners: createOwnerViewers(credentials),
    async signOperator(roles, seconds) {
      const expires = clock() + seconds * 1000
      const token = await tokens.signOperator(uuidv7(), roles, expires)
      return { token, expiresAt: new Date(expires).toISOString() }
    },
    derivedKeys,
    upkeep,
    tokens: model.account === null ? null : await createTokens(model.account),
  }

  async function createTokens({ login, resource, verification }: Account): Promise<Tokens> {
    const passwords = new Passwords()
    // Without settings, as in tests, one network may be everybody.
    const limits = { ...defaultAttemptLimits, networkMails: 0, networkSignUps: 0, ...settings }
    const attempts = new LoginAttempts(clock, limits)
    const devices = new KnownDevices(derivedKeys)
    const sharedAttempts = new SharedAttempts({
      store: attemptStore,
      local: attempts,
      devices,
      limits,
      check: checkAttempt,
      clock,
    })
    const signUps =
      codeStore && signUp && verification === 'REQUIRED'
        ? new SignUps({
            login,
            store: codeStore,
            keys: derivedKeys,
            passwords,
            ...signUp,
            clock,
          })
        : null
    const invitations =
      codeStore &&
      signUp &&
      new Invitations({
        account: { resource, login },
        store: codeStore,
        keys: derivedKeys,
        owners: createOwnerViewers(credentials),
        ...signUp,
        prove: proveAccount,
        sendsMail,
        clock,
      })
    const codes =
      codeStore &&
      new AccountCodes({
        login,
        verification,
        store: codeStore,
        keys: derivedKeys,
        prove: proveAccount,
        sendsMail,
        signUps,
        invitations,
        clock,
      })
    const sessions = new LoginSessions({
      login,
      credentials,
      tokens,
      passwords,
      attempts: sharedAttempts,
      devices,
      codes,
      checkSignIn,
      settings,
      clock,
      log,
    })
    const changing = sendsMail && verification !== 'OFF' ? codes : null
    const confirmation = new OwnerConfirmation({
      credentials,
      passwords,
      attempts,
      prepareChange: changing && (() => changing.prepareChange()),
      clock,
    })
    const confirm: Tokens['confirm'] = (viewer, currentPassword) => confirmation.confirm(viewer, currentPassword)
    const providers =
      providerEnvironment &&
      openProviders({
        settings,
        environment: providerEnvironment,
        credentials,
        keys: derivedKeys,
        sessions,
        proveAccount,
        makeAccount: makeProviderAccount,
        checkSignIn,
        confirm,
        accountClaims: used.ofAccounts,
        clock,
        log,
      })
    const rehearsedChange = changing && (await changing.prepareChange())
    return {
      async signIn(input, address, client = unknownClient) {
        if (!isProviderInput(input)) return sessions.signIn(input, address, client)
        const read = readProviderSignIn(input)
        if (providers === null) throw noProviders()
        return providers.signIn(read, { address, client })
      },
      async endSessions(input, viewer) {
        if (viewer.acting !== undefined) throw neverWhileActing('end sessions')
        return endSessions(input, viewer, credentials, clock())
      },
      isActingInput,
      async actAs(input, viewer) {
        const read = acting!.read(input)
        const actor = await viewer()
        return acting!.begin(read, actor, viewers.identityOf(actor))
      },
      mayActAsAny: (viewer) => acting!.mayActAsAny(viewer),
      isTicketInput,
      loginPath(input) {
        const used = nameIn(input, login)
        return used === undefined ? null : `${resource.name}.${used}`
      },
      validate(input) {
        if (isTicketInput(input)) readTicketInput(input)
        else if (isActingInput(input)) acting!.read(input)
        else if (isProviderInput(input)) readProviderSignIn(input)
        else readSignIn(input, login)
      },
      async makeTicket(input, viewer) {
        readTicketInput(input)
        const identity = viewers.identityOf(await viewer())
        if (identity === null) throw signInFirst()
        return tickets.make(identity)
      },
      viewerOf: (request) => viewers.viewerOf({ headers: request.headers }),
      refreshed: (viewer) => viewers.refreshed(viewer),
      rightsOf: (account) => credentials.rightsOf(account, null),
      hashPassword: (password, client) => passwords.hash(password, client),
      admitSignUp: ({ login, captcha }, address) => sharedAttempts.countSignUp(canonicalLogin(login), captcha, address),
      rehearsedChange,
      confirm,
      confirmed: () => changing?.sendMails(),
      codes: codes && usableCodes(codes, login, passwords, sharedAttempts),
      providers,
      async linkIdentity(input, viewer, key) {
        if (!viewer.authenticated) throw signInFirst()
        if (viewer.acting !== undefined) throw neverWhileActing('link an identity')
        const read = readIdentityInput(input)
        if (providers === null) throw noProviders()
        return providers.link(read, viewer, key)
      },
      validateLink: (input) => void readIdentityInput(input),
      signUps,
      invitations,
    }
  }
}

function usableCodes(codes: AccountCodes, login: Named, passwords: Passwords, attempts: SharedAttempts): Codes {
  return {
    async create(input, address) {
      const { address: login, captcha } = codes.read(input)
      await attempts.countMail(canonicalLogin(login), captcha, address)
      return codes.create(input)
    },
    validate: (input) => void codes.read(input),
    async verify(input, viewer, address, create) {
      if (viewer.acting !== undefined) throw neverWhileActing('prove an address')
      const read = readVerification(input, login, viewer.account !== null)
      return counted(await attempts.beginCode(address), () => codes.verify(read, viewer.account, create))
    },
    validateVerification: (input, viewer) => void readVerification(input, login, viewer.account !== null),
    linkPurpose: (token) => codes.linkPurpose(token),
    useLink(token, password, address) {
      return codes.useLink(token, async (purpose) => {
        // Whoever proves an address need not have a password.
        if (password === '' && purpose !== 'RESET' && purpose !== 'INVITATION') return null
        const problems: Problem[] = []
        checkPassword(password, 'password', problems)
        if (problems.length > 0) throw validationError(problems)
        return passwords.hash(password, networkOf(address))
      })
    },
  }
}

function noProof(): never {
  throw new Error('nothing writes the proof of an address')
}

function noAccounts(): never {
  throw new Error('nothing creates the accounts of providers')
}

function streamPathsOf({ operations }: Model): ReadonlySet<string> {
  const custom = operations.filter(({ root }) => root === 'Subscription').map(({ path }) => `/${path}`)
  return new Set(['/changes', '/graphql', ...custom])
}
