// Sign-in with a provider: to the provider, back from it, and the code with which the application gets its tokens
// (docs/internals/decisions/0086-sign-in-with-providers.md).
//
//    GET /sign-in/google?to=…&challenge=…   → provider → GET /sign-in/google/callback → to?code=… → POST /tokens {code, verifier}
//
// 1. The browser is sent to the provider, or to an address of `auth.returnTo`: nowhere else.
// 2. An error of the provider leads to `to?error=…`. A callback without its cookie leads nowhere: nobody knows its application.

import { ApiError, didYouMean, type Log, type Problem, validationError } from '#base'
import type { DerivedKeys } from '../tokens/derived-keys.ts'
import type { BrowserStep } from '../tokens.ts'
import { FlowCookies, type SignInFlow } from './flow-cookies.ts'
import { provesAddress } from './presets.ts'
import { type OauthLibrary, ProviderClient, type ProviderFetch, ProviderRefusal } from './provider-client.ts'
import {
  type ProviderSettings,
  providersOf,
  returnAddresses,
  type SignInProviderSettings,
} from './provider-settings.ts'
import type { ProviderIdentity, SignInCodes } from './sign-in-codes.ts'

/** What the service gives to sign-ins with providers. */
export interface ProviderEnvironment {
  library: OauthLibrary
  /** The public address of the service, with its base path. */
  origin: () => string
  /** Default: `fetch`. */
  fetch?: ProviderFetch
}

interface ProviderSignInOptions {
  settings: SignInProviderSettings
  environment: ProviderEnvironment
  codes: SignInCodes
  keys: DerivedKeys
  /** The names of claims that a new account may take. */
  accountClaims: readonly string[]
  clock: () => number
  log: Log
}

const formLifetimeMs = 60_000

export class ProviderSignIn {
  readonly #options: ProviderSignInOptions
  readonly #clients: ReadonlyMap<string, ProviderClient>
  readonly #returnTo: readonly string[]
  readonly #cookies: FlowCookies

  constructor(options: ProviderSignInOptions) {
    const { settings, environment, keys, clock } = options
    const { library, origin, fetch: send = fetch } = environment
    this.#options = options
    this.#returnTo = returnAddresses(settings)
    this.#cookies = new FlowCookies(keys, () => origin().startsWith('https:'), clock)
    const clientOf = (name: string, one: ProviderSettings) =>
      new ProviderClient({
        name,
        settings: one,
        library,
        redirectUri: () => `${origin()}/sign-in/${name}/callback`,
        clock,
        fetch: send,
      })
    this.#clients = new Map([...providersOf(settings)].map(([name, one]) => [name, clientOf(name, one)]))
  }

  /** Whether the provider calls back with a form. */
  takesForm(name: string): boolean {
    return this.#client(name).preset.responseMode === 'form_post'
  }

  /** Sends the browser to the provider. Throws with all problems of the parameters. */
  async begin(name: string, parameters: URLSearchParams, cookies: string | undefined): Promise<BrowserStep> {
    const client = this.#client(name)
    const { to, challenge } = this.#readParameters(parameters)
    const { flow, cookie } = await this.#cookies.begin({ provider: name, to, challenge }, cookies)
    try {
      return { location: await client.authorizationUrl(flow), cookies: [cookie] }
    } catch (error) {
      return { location: this.#refused(flow, error), cookies: [] }
    }
  }

  /** The callback of a provider that sends a form. A browser sends no cookie with the form of another site, so that it comes back
   *  with a GET: the form goes along, encrypted. */
  async receiveForm(name: string, form: string): Promise<BrowserStep> {
    const { environment, keys, clock } = this.#options
    this.#client(name)
    const sealed = await keys.seal(JSON.stringify({ form, expires: clock() + formLifetimeMs }), 'sign-in-form')
    return { location: `${environment.origin()}/sign-in/${name}/callback?form=${sealed}`, cookies: [] }
  }

  /** Sends the browser back to the application. Throws BAD_REQUEST if this browser began no such sign-in. */
  async finish(name: string, sent: URLSearchParams, cookies: string | undefined): Promise<BrowserStep> {
    const client = this.#client(name)
    const parameters = await this.#formIn(sent)
    const state = parameters.get('state') ?? ''
    const flow = await this.#cookies.find(state, name, cookies)
    if (flow === null) throw unknownFlow()
    const ended = [this.#cookies.end(flow)]
    try {
      const profile = await client.profile(parameters, flow)
      const { issuer, subject, email, claims } = profile
      const identity: ProviderIdentity = {
        provider: name,
        issuer,
        subject,
        email,
        isProven: provesAddress(client.preset, client.settings, profile),
        claims: Object.fromEntries(
          this.#options.accountClaims.filter((one) => Object.hasOwn(claims, one)).map((one) => [one, claims[one]]),
        ),
      }
      const code = await this.#options.codes.create(identity, flow.challenge)
      return { location: withParameter(flow.to, 'code', code), cookies: ended }
    } catch (error) {
      return { location: this.#refused(flow, error), cookies: ended }
    }
  }

  #client(name: string): ProviderClient {
    const client = this.#clients.get(name)
    if (client !== undefined) return client
    const hint = didYouMean(name, [...this.#clients.keys()])
    throw new ApiError('NOT_FOUND', `No provider has the name "${name}".${hint}`, {
      hint: 'The setting auth.providers names the providers.',
    })
  }

  #readParameters(parameters: URLSearchParams): Pick<SignInFlow, 'to' | 'challenge'> {
    const [to, ...moreTo] = parameters.getAll('to')
    const [challenge, ...moreChallenges] = parameters.getAll('challenge')
    const known = ['to', 'challenge']
    const problems: Problem[] = [...new Set(parameters.keys())]
      .filter((name) => !known.includes(name))
      .map((path) => ({ path, code: 'UNKNOWN', message: `is unknown.${didYouMean(path, known)}` }))
    if (to === undefined) problems.push({ path: 'to', code: 'REQUIRED', message: 'is required.' })
    else if (moreTo.length > 0 || !this.#returnTo.includes(to)) {
      const message = 'must be exactly one of the addresses in the setting auth.returnTo.'
      problems.push({ path: 'to', code: 'UNKNOWN', message })
    }
    if (challenge === undefined) problems.push({ path: 'challenge', code: 'REQUIRED', message: 'is required.' })
    else if (moreChallenges.length > 0 || !/^[A-Za-z0-9_-]{43}$/.test(challenge)) {
      const message = 'must be the SHA-256 hash of your verifier, in base64url (RFC 7636, S256).'
      problems.push({ path: 'challenge', code: 'PATTERN', message })
    }
    if (problems.length > 0 || to === undefined || challenge === undefined) throw validationError(problems)
    return { to, challenge }
  }

  async #formIn(sent: URLSearchParams): Promise<URLSearchParams> {
    const sealed = sent.get('form')
    if (sealed === null) return sent
    const text = await this.#options.keys.open(sealed, 'sign-in-form')
    const { form, expires } =
      text === null ? { form: '', expires: 0 } : (JSON.parse(text) as { form: string; expires: number })
    return new URLSearchParams(expires > this.#options.clock() ? form : '')
  }

  #refused({ to, provider }: SignInFlow, error: unknown): string {
    if (!(error instanceof ProviderRefusal)) throw error
    if (error.error !== 'access_denied') {
      this.#options.log.warn({ provider, reason: error.reason }, 'a sign-in with a provider failed')
    }
    return withParameter(to, 'error', error.error)
  }
}

function withParameter(address: string, name: string, value: string): string {
  const url = new URL(address)
  url.searchParams.set(name, value)
  return url.href
}

function unknownFlow(): ApiError {
  return new ApiError('BAD_REQUEST', 'This sign-in did not begin in this browser, or took longer than ten minutes.', {
    hint: 'Begin again in the application.',
  })
}
