// Identity, wired: who asks, signing in and out, passwords. The doors see `Tokens`, the HTTP floor sees `viewerOf`.

import type { Log, MaybePromise, Viewer } from '#base'
import type { Model } from '#model'
import type { CredentialStore } from '#store'
import { signInFirst } from './auth-errors.ts'
import { type ExternalIdentity, ExternalIssuer } from './external-issuer.ts'
import { LoginAttempts } from './login-attempts.ts'
import { LoginSessions } from './login-sessions.ts'
import { createOwnerViewers, type OwnerViewers } from './owner-viewers.ts'
import { Passwords } from './passwords.ts'
import type { TicketRequest } from './request-ticket.ts'
import { type AuthSettings, defaultAuthSettings } from './settings.ts'
import { isTicketInput, readSignIn, readTicketInput, resolveLoginAlias } from './sign-in-input.ts'
import { SignedTokens } from './signed-tokens.ts'
import { SigningKeys } from './signing-keys.ts'
import { Tickets } from './tickets.ts'
import type { Tokens } from './tokens.ts'
import { Viewers } from './viewers.ts'

export interface Auth {
  /** Who asks; a Fault UNAUTHENTICATED when the `authorization` header is not good, or the ticket of a stream. */
  viewerOf(request: TicketRequest): MaybePromise<Viewer>
  /** Null when the contract has no account type: nobody signs in then. */
  readonly tokens: Tokens | null
  /** Whose rights something has that goes on when its maker has left. */
  readonly owners: OwnerViewers
}

export interface AuthOptions {
  model: Model
  credentials: CredentialStore
  log: Log
  settings?: AuthSettings | undefined
  /** Milliseconds since 1970. */
  clock?: (() => number) | undefined
  /** Makes the account of a login that another issuer vouches for, and gives its id. */
  makeAccount?: (foreign: ExternalIdentity) => Promise<string>
}

/** Makes what tokens are signed with, if it is not there. */
export async function createAuth({
  model,
  credentials,
  log,
  settings = defaultAuthSettings,
  clock = Date.now,
  makeAccount,
}: AuthOptions): Promise<Auth> {
  const keys = new SigningKeys(credentials, settings, clock)
  await keys.current()
  const tokens = new SignedTokens(keys, clock)
  const tickets = new Tickets(credentials, clock)
  const viewers = new Viewers({
    tickets,
    hasAccounts: model.account !== null,
    credentials: credentials,
    tokens,
    externalIssuer: ExternalIssuer.of(settings, clock),
    makeAccount: settings.createAccounts ? (makeAccount ?? null) : null,
    clock,
  })
  return {
    viewerOf: (request) => viewers.viewerOf(request),
    owners: createOwnerViewers(credentials),
    tokens: model.account === null ? null : createTokens(model.account.login),
  }

  function createTokens({
    name: loginField,
    alias: formerLogin = null,
  }: {
    name: string
    alias?: string | null
  }): Tokens {
    const passwords = new Passwords()
    const attempts = new LoginAttempts(clock)
    const sessions = new LoginSessions({
      loginField,
      loginAlias: formerLogin,
      credentials: credentials,
      tokens,
      passwords,
      attempts,
      settings,
      clock,
      log,
    })
    return {
      signIn: (input, address) => sessions.signIn(input, address),
      isTicketInput,
      validate(input) {
        if (isTicketInput(input)) readTicketInput(input)
        else readSignIn(resolveLoginAlias(input, loginField, formerLogin), loginField)
      },
      async makeTicket(input, viewer) {
        readTicketInput(input)
        const identity = viewers.identityOf(await viewer())
        if (identity === null) throw signInFirst()
        return tickets.make(identity)
      },
      viewerOf: (request) => viewers.viewerOf({ headers: request.headers }),
      list: (viewer) => sessions.list(viewer),
      end: (viewer, id) => sessions.end(viewer, id),
      hashPassword: (password) => passwords.hash(password),
    }
  }
}
