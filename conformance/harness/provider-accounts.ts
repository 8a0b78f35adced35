// A service whose accounts sign in with OpenID providers of this machine, and what an application does: begin, come back, use the code.

import { createHash, randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import { defaultAuthSettings } from '../../packages/twain/src/auth/index.ts'
import type { Log } from '../../packages/twain/src/base/index.ts'
import { MailedAccounts, type TestAnswer } from './mailed-accounts.ts'
import { OpenidProvider, providerSecret } from './openid-provider.ts'
import { PlainBrowser } from './plain-browser.ts'
import type { TestService } from './test-service.ts'

export const application = 'http://127.0.0.1:9/signed-in'

/** What an application has after a sign-in at a provider. */
export interface ProviderCode {
  code: string
  verifier: string
}

type Options = Parameters<typeof TestService.open>[2] & { sdl?: string; provesAddresses?: boolean }

export const accountSdl = `
type User @account @allow(to: [CREATE, READ]) @allow(who: "self") {
  id: ID!
  email: String! @unique
  name: String
  role: String @allow(role: "admin")
}`

export class ProviderAccounts {
  readonly accounts: MailedAccounts
  /** It proves addresses, unless the options say otherwise. */
  readonly trusted: OpenidProvider
  /** Its addresses prove nothing. */
  readonly other: OpenidProvider
  /** Everything that the service has logged, as JSON. */
  readonly logged: string[]

  private constructor(accounts: MailedAccounts, trusted: OpenidProvider, other: OpenidProvider, logged: string[]) {
    this.accounts = accounts
    this.trusted = trusted
    this.other = other
    this.logged = logged
  }

  static async open(t: Pick<TestContext, 'after'>, options: Options = {}): Promise<ProviderAccounts> {
    const { sdl = accountSdl, provesAddresses = true, ...others } = options
    const trusted = await OpenidProvider.open(t)
    const other = await OpenidProvider.open(t)
    const client = { clientId: 'twain', clientSecret: providerSecret }
    const providers = {
      trusted: { issuer: trusted.issuer, ...client, provesAddresses },
      other: { issuer: other.issuer, ...client },
    }
    const logged: string[] = []
    const write = (fields: object, message: string) => void logged.push(JSON.stringify({ ...fields, message }))
    const log: Log = { info: write, warn: write, error: write }
    const accounts = await MailedAccounts.open(t, sdl, {
      auth: { ...defaultAuthSettings, providers: JSON.stringify(providers), returnTo: application },
      log,
      ...others,
    })
    trusted.register(`${accounts.service.address}/sign-in/trusted/callback`)
    other.register(`${accounts.service.address}/sign-in/other/callback`)
    return new ProviderAccounts(accounts, trusted, other, logged)
  }

  get address(): string {
    return this.accounts.service.address
  }

  /** The address that begins a sign-in, and the application's verifier. */
  start(provider: string, to = application): { url: string; verifier: string } {
    const verifier = randomBytes(32).toString('base64url')
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    return { url: `${this.address}/sign-in/${provider}?${new URLSearchParams({ to, challenge })}`, verifier }
  }

  /** Goes to the provider as this person, and back to the application. */
  async goAs(provider: 'trusted' | 'other', person: string, browser = new PlainBrowser()): Promise<ProviderCode> {
    this[provider].person = person
    const { url, verifier } = this.start(provider)
    const { url: back, text, status } = await browser.visit(url, application)
    const code = back.searchParams.get('code')
    if (code === null) throw new Error(`no code: ${back.href} ${status} ${text}`)
    return { code, verifier }
  }

  /** The callback address of a sign-in that this browser began, not opened yet. */
  async callbackOf(provider: 'trusted' | 'other', person: string, browser: PlainBrowser) {
    this[provider].person = person
    const { url, verifier } = this.start(provider)
    const { url: callback } = await browser.visit(url, `${this.address}/sign-in/${provider}/callback`)
    return { callback, verifier }
  }

  use(code: ProviderCode & { input?: object }): Promise<TestAnswer> {
    return this.accounts.call('POST', '/tokens', code)
  }

  /** Signs in with a provider. */
  async signInAs(provider: 'trusted' | 'other', person: string): Promise<TestAnswer> {
    return this.use(await this.goAs(provider, person))
  }

  /** The account of a session. */
  async accountOf(token: string): Promise<string> {
    const { body } = await this.accounts.as(token, 'GET', '/tokens?fields=account.id&limit=1')
    return body[0].account.id
  }
}
