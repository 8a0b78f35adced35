// Talks to one provider: the address to send the browser to, and who came back from there.
//
// 1. Each sign-in has a state, a nonce and a PKCE verifier of its own. The state finds the browser's cookie (`flow-cookies.ts`).
// 2. The callback must name the issuer if the provider does so (RFC 9207): an answer of another provider is refused.
// 3. The ID token is checked: signature, issuer, audience, nonce, expiry.
// 4. No error carries what was sent: the client secret, codes and tokens stay out of the log.

import type { AuthorizationServer, Client, ClientAuth, TokenEndpointResponse } from 'oauth4webapi'
import { isRecord } from '#base'
import { timeoutSignal } from '#base/time'
import { isSubject } from '../tokens/external-issuer.ts'
import { readBounded } from '../tokens/read-bounded.ts'
import { appleSecret } from './apple-secret.ts'
import { type ProviderPreset, type ProviderProfile, presetOf } from './presets.ts'
import type { ProviderSettings } from './provider-settings.ts'

type Oauth = typeof import('oauth4webapi')

/** The module `oauth4webapi`. Applications without providers do not install it, so the published types do not import it. */
export interface OauthLibrary {
  readonly customFetch: symbol
}

/** How requests leave: tests answer for providers that they can't reach. */
export type ProviderFetch = (address: string, options: RequestInit) => Promise<Response>

/** What a sign-in remembers between its two requests. */
export interface FlowSecrets {
  state: string
  nonce: string
  verifier: string
}

/** The provider did not sign the person in. `error` is a code of RFC 6749, 4.1.2.1, that the application may see. */
export class ProviderRefusal extends Error {
  readonly error: string
  /** For the log: it has nothing that the provider or the browser sent, but names of errors. */
  readonly reason: string

  constructor(error: string, reason: string) {
    super(`the provider did not sign in: ${reason}`)
    this.error = error
    this.reason = reason
  }
}

const timeoutMs = 10_000
const maxAnswerBytes = 1024 * 1024
const keepServerMs = 60 * 60_000
const retryServerMs = 5000

/** What a provider may say of a failed sign-in (RFC 6749, 4.1.2.1; OpenID Connect Core, 3.1.2.6). */
const passedOn = [
  'access_denied',
  'login_required',
  'consent_required',
  'interaction_required',
  'temporarily_unavailable',
]

interface ProviderClientOptions {
  name: string
  settings: ProviderSettings
  library: OauthLibrary
  redirectUri: () => string
  clock: () => number
  fetch: ProviderFetch
}

export class ProviderClient {
  readonly preset: ProviderPreset
  readonly settings: ProviderSettings
  readonly #options: ProviderClientOptions & { library: Oauth }
  #server: { found: Promise<AuthorizationServer>; at: number } | null = null
  /** Of the keys that sign ID tokens. */
  readonly #keys = {}

  constructor(options: ProviderClientOptions) {
    this.#options = { ...options, library: options.library as Oauth }
    this.settings = options.settings
    this.preset = presetOf(options.name, options.settings)
  }

  /** Where the browser goes. Rejects with ProviderRefusal. */
  async authorizationUrl({ state, nonce, verifier }: FlowSecrets): Promise<string> {
    const { library, settings, redirectUri } = this.#options
    const { scope, responseMode, isOpenid } = this.preset
    const { authorization_endpoint: endpoint } = await this.#refusing(() => this.#found())
    if (endpoint === undefined) throw new ProviderRefusal('server_error', 'it names no authorization endpoint')
    const url = new URL(endpoint)
    const parameters = {
      response_type: 'code',
      client_id: settings.clientId,
      redirect_uri: redirectUri(),
      scope,
      state,
      code_challenge: await library.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(isOpenid && { nonce }),
      ...(responseMode !== null && { response_mode: responseMode }),
    }
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return url.href
  }

  /** Who signed in. `callback` are the parameters with which the browser came back. Rejects with ProviderRefusal. */
  profile(callback: URLSearchParams, flow: FlowSecrets): Promise<ProviderProfile> {
    return this.#refusing(() => this.#profile(callback, flow))
  }

  async #profile(callback: URLSearchParams, { state, nonce, verifier }: FlowSecrets): Promise<ProviderProfile> {
    const { library, redirectUri } = this.#options
    const server = await this.#found()
    const client = this.#client()
    const validated = library.validateAuthResponse(server, client, callback, state)
    const response = await library.authorizationCodeGrantRequest(
      ...([server, client, this.#authentication(server), validated, redirectUri(), verifier] as const),
      this.#requests(server),
    )
    const issuer = await this.#issuerOf(server, response)
    const { isOpenid } = this.preset
    const expected = isOpenid ? { expectedNonce: nonce, requireIdToken: true } : {}
    const tokens = await library.processAuthorizationCodeResponse(issuer, client, response, expected)
    if (isOpenid) {
      await library.validateApplicationLevelSignature(server, response, {
        ...this.#requests(server),
        [library.jwksCache]: this.#keys,
      })
    }
    const claims = isOpenid ? await this.#claims(server, client, tokens) : {}
    const get = (address: string) => this.#get(address, tokens.access_token, server)
    const profile = await this.preset.profile({ claims, callback, get })
    if (!isSubject(profile.subject)) throw new ProviderRefusal('server_error', 'it gave no id of the person')
    return profile
  }

  /** Some providers give an address and a name only at their userinfo endpoint. The signed claims count first. */
  async #claims(server: AuthorizationServer, client: Client, tokens: TokenEndpointResponse) {
    const { library } = this.#options
    const claims = library.getValidatedIdTokenClaims(tokens)!
    if (server.userinfo_endpoint === undefined || (claims.email !== undefined && claims.name !== undefined))
      return claims
    const response = await library.userInfoRequest(server, client, tokens.access_token, this.#requests(server))
    const more = await library.processUserInfoResponse(server, client, claims.sub, response)
    // Whether an address is verified belongs to that address.
    const { email, email_verified, ...others } = more
    const address = claims.email === undefined ? { email, email_verified } : {}
    return { ...others, ...address, ...claims }
  }

  async #get(address: string, token: string, server: AuthorizationServer): Promise<unknown> {
    const { library } = this.#options
    const headers = new Headers({ accept: 'application/json', 'user-agent': 'twain' })
    const url = new URL(address)
    const response = await library.protectedResourceRequest(token, 'GET', url, headers, null, this.#requests(server))
    if (!response.ok) throw new ProviderRefusal('server_error', `${url.pathname} answered ${response.status}`)
    return response.json()
  }

  /** Each tenant of Microsoft is an issuer of its own. */
  async #issuerOf(server: AuthorizationServer, response: Response): Promise<AuthorizationServer> {
    const { issuerOf } = this.preset
    if (issuerOf === undefined) return server
    const { decodeJwt } = await import('jose')
    const body: unknown = await response.clone().json()
    const idToken = isRecord(body) && typeof body.id_token === 'string' ? body.id_token : null
    // An answer without one is refused below, like any error.
    if (idToken === null) return server
    const issuer = issuerOf(decodeJwt(idToken))
    if (issuer === null) throw new ProviderRefusal('server_error', 'the ID token is of no known tenant')
    return { ...server, issuer }
  }

  #client(): Client {
    const { library, settings } = this.#options
    return { client_id: settings.clientId, [library.clockTolerance]: 30 }
  }

  #authentication({ token_endpoint_auth_methods_supported: methods = [] }: AuthorizationServer): ClientAuth {
    const { library, settings, clock } = this.#options
    const { clientId, clientSecret } = settings
    if (clientSecret === undefined) {
      return async (_server, _client, body) => {
        body.set('client_id', clientId)
        body.set('client_secret', await appleSecret(settings, clock()))
      }
    }
    const byBasic = methods.length === 0 || methods.includes('client_secret_basic')
    return byBasic ? library.ClientSecretBasic(clientSecret) : library.ClientSecretPost(clientSecret)
  }

  /** Discovers the addresses of the provider once an hour, and after a failure five seconds later. */
  #found(): Promise<AuthorizationServer> {
    const { server } = this.preset
    if ('metadata' in server) return Promise.resolve(server.metadata)
    const { clock } = this.#options
    const now = clock()
    if (this.#server !== null && now - this.#server.at < keepServerMs) return this.#server.found
    const found = this.#discover(new URL(server.discover))
    this.#server = { found, at: now }
    found.catch(() => {
      if (this.#server?.found === found) this.#server.at = now - keepServerMs + retryServerMs
    })
    return found
  }

  async #discover(issuer: URL): Promise<AuthorizationServer> {
    const { library } = this.#options
    const response = await library.discoveryRequest(issuer, { algorithm: 'oidc', ...this.#requests(issuer.href) })
    return library.processDiscoveryResponse(issuer, response)
  }

  /** The settings allow http only on this machine. */
  #requests(server: AuthorizationServer | string) {
    const { library } = this.#options
    const issuer = typeof server === 'string' ? server : server.issuer
    return {
      [library.allowInsecureRequests]: issuer.startsWith('http:'),
      [library.customFetch]: (address: string, options: object) => this.#fetch(address, options),
    }
  }

  async #fetch(address: string, options: RequestInit): Promise<Response> {
    const signal = timeoutSignal(timeoutMs)
    const response = await this.#options.fetch(address, { ...options, redirect: 'manual', signal })
    const body = await readBounded(response, maxAnswerBytes)
    const { status, headers } = response
    return new Response(body.length === 0 ? null : body, { status, headers })
  }

  /** See 4. */
  async #refusing<Value>(work: () => Promise<Value>): Promise<Value> {
    const { library } = this.#options
    try {
      return await work()
    } catch (error) {
      if (error instanceof ProviderRefusal) throw error
      if (error instanceof library.AuthorizationResponseError) {
        throw new ProviderRefusal(passedOn.includes(error.error) ? error.error : 'server_error', errorName(error.error))
      }
      if (error instanceof library.ResponseBodyError) throw new ProviderRefusal('server_error', errorName(error.error))
      if (isUnreachable(error)) throw new ProviderRefusal('temporarily_unavailable', 'it did not answer')
      throw new ProviderRefusal('server_error', messageOf(error))
    }
  }
}

/** The messages of the library are constants; a parser's message may quote what it read. */
function messageOf(error: unknown): string {
  const isOwn = error instanceof Error && 'code' in error && String(error.code).startsWith('OAUTH_')
  return isOwn ? error.message : 'its answer makes no sense'
}

function errorName(error: string): string {
  return /^[a-z_]{1,60}$/.test(error) ? error : 'an unknown error'
}

function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (
    ['AbortError', 'TimeoutError'].includes(error.name) ||
    (error instanceof TypeError && error.message === 'fetch failed')
  )
}
