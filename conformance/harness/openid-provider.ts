// A real OpenID provider on this machine (oidc-provider): people sign in with their name on a page of it, or at once if `person` says
// who sits at the browser.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { type LoginContext, Provider } from 'oidc-provider'

export const providerSecret = 'a-client-secret-that-nobody-may-see'

interface OpenidPerson {
  email?: string
  email_verified?: boolean
  name?: string
}

export class OpenidProvider {
  readonly issuer: string
  /** By their ids. */
  readonly people = new Map<string, OpenidPerson>()
  /** Who signs in without a page; null: the page asks; `denied`: the person says no. */
  person: string | null = null
  readonly #server: Server
  #provider: Provider | null = null

  private constructor(server: Server) {
    this.#server = server
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  static async open(t: Pick<TestContext, 'after'>): Promise<OpenidProvider> {
    const server: Server = createServer((request, response) => void made.#answer(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const made = new OpenidProvider(server)
    t.after(() => made.stop())
    return made
  }

  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  /** Registers a service: the address of its callback. */
  register(...callbacks: string[]): void {
    this.#provider = new Provider(this.issuer, {
      clients: [{ client_id: 'twain', client_secret: providerSecret, redirect_uris: callbacks }],
      findAccount: (_: unknown, accountId: string) => ({
        accountId,
        claims: async () => ({ sub: accountId, ...this.people.get(accountId) }),
      }),
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      // The service is no third party: nobody is asked for consent.
      loadExistingGrant: async ({ oidc }: LoginContext) => {
        const grant = new this.#provider!.Grant({ accountId: oidc.session.accountId, clientId: oidc.client.clientId })
        grant.addOIDCScope('openid email profile')
        await grant.save()
        return grant
      },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      cookies: { keys: ['one key of a test'] },
      pkce: { required: () => true },
      ttl: { Interaction: 600, Session: 600, Grant: 600 },
    })
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const provider = this.#provider!
    if (!request.url!.startsWith('/interaction/')) return provider.callback()(request, response)
    try {
      const chosen = request.method === 'POST' ? await chosenPerson(request) : this.person
      if (chosen === null) return showLogin(response)
      const result = chosen === 'denied' ? { error: 'access_denied' } : { login: { accountId: chosen } }
      await provider.interactionFinished(request, response, result)
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  }
}

async function chosenPerson(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return new URLSearchParams(text).get('person') ?? ''
}

function showLogin(response: ServerResponse): void {
  response
    .writeHead(200, { 'content-type': 'text/html' })
    .end('<title>Provider</title><form method="post"><input name="person"><button>Sign in</button></form>')
}
