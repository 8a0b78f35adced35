// A service whose accounts get mails, and what people do with them: sign up, sign in, ask for codes, read mails.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type KeptMail, Mailbox } from '../../packages/twain/src/mail/index.ts'
import { TestService } from './test-service.ts'
import { until } from './until.ts'

export const password = 'correct horse battery'

export interface TestAnswer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: the tests know the bodies
  body: any
}

export class MailedAccounts {
  readonly service: TestService
  readonly mailbox: Mailbox
  /** The clock of the service. */
  readonly time: { now: number }

  private constructor(service: TestService, mailbox: Mailbox, time: { now: number }) {
    this.service = service
    this.mailbox = mailbox
    this.time = time
  }

  static async open(
    t: Pick<TestContext, 'after'>,
    sdl: string,
    options: Parameters<typeof TestService.open>[2] = {},
  ): Promise<MailedAccounts> {
    const time = { now: Date.now() }
    const mailbox = new Mailbox()
    const service = await TestService.open(t, sdl, { mailbox, clock: () => time.now, ...options })
    mailbox.origin = service.address
    return new MailedAccounts(service, mailbox, time)
  }

  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<TestAnswer> {
    const answer = await fetch(this.service.address + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.includes('json') === true && text !== ''
    return { status: answer.status, headers: answer.headers, text, body: isJson ? JSON.parse(text) : null }
  }

  /** The same with the token of a session. */
  as(token: string, method: string, path: string, body?: unknown): Promise<TestAnswer> {
    return this.call(method, path, body, { authorization: `Bearer ${token}` })
  }

  async graphql(query: string, variables: object = {}, token: string | null = null): Promise<TestAnswer['body']> {
    const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
    return (await this.call('POST', '/graphql', { query, variables }, headers)).body
  }

  /** Returns the id of the account. */
  async signUp(email: string, more: object = {}): Promise<string> {
    const made = await this.call('POST', '/users', { email, password, ...more })
    assert.equal(made.status, 201, made.text)
    return made.body.id
  }

  signIn(email: string, secret: string = password): Promise<TestAnswer> {
    return this.call('POST', '/tokens', { email, password: secret })
  }

  async token(email: string, secret: string = password): Promise<string> {
    return (await this.signIn(email, secret)).body.token
  }

  async isValid(token: string): Promise<boolean> {
    return (await this.as(token, 'GET', '/tokens')).status === 200
  }

  mailsTo(address: string): KeptMail[] {
    return this.mailbox.mails.filter(({ to }) => to.toLowerCase() === address.toLowerCase())
  }

  /** The newest mail to an address, once it got `count` of them. */
  async newest(address: string, count = 1): Promise<KeptMail> {
    return (
      await until(
        async () => this.mailsTo(address),
        ({ length }) => length >= count,
      )
    )[0]!
  }

  /** Waits for the mail that `cause` sends to an address. */
  async mailOf<T>(address: string, cause: () => Promise<T>): Promise<{ result: T; mail: KeptMail }> {
    const before = this.mailsTo(address).length
    const result = await cause()
    return { result, mail: await this.newest(address, before + 1) }
  }

  /** Asks for a code. */
  async ask(purpose: string, email: string): Promise<{ secret: string; mail: () => Promise<KeptMail> }> {
    const count = this.mailsTo(email).length
    const { status, body } = await this.call('POST', '/codes', { for: purpose, email })
    assert.equal(status, 202)
    return { secret: body.secret, mail: () => this.newest(email, count + 1) }
  }

  /** Asks for a code and reads its mail. */
  async code(purpose: string, email: string): Promise<{ email: string; code: string; secret: string; url: string }> {
    const { secret, mail } = await this.ask(purpose, email)
    const { code, url } = await mail()
    return { email, code, secret, url: url ?? '' }
  }

  /** Presses the button of the page behind a link. */
  press(url: string, secret = ''): Promise<TestAnswer> {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const body = new URLSearchParams({ password: secret }).toString()
    return this.call('POST', url.slice(this.service.address.length), body, form)
  }

  /** Of an account that everybody may read. */
  async verifiedAt(email: string): Promise<string | null> {
    return (await this.call('GET', `/users?email=${encodeURIComponent(email)}&fields=_verifiedAt`)).body[0]._verifiedAt
  }
}
