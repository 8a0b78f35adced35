// Codes that prove who reads the mails of an address: to reset a password and to sign in.
//
// 1. Nothing tells whether an address has an account: an unknown address gets a code that is never sent. The answer, the work and
//    the limits are the same.
// 2. A code is bound to its purpose, its login and the secret that only the asker has. So nobody can use up the tries of another.
// 3. The link of a mail has a token that needs no secret: whoever reads the mail may use it on any device.
// 4. The mail goes to the stored address of the account, never to the spelling of the request: another spelling may be another
//    mailbox.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { ApiError, canonicalLogin, uuidv7 } from '#base'
import type { Named } from '#model/names'
import type { AddressedAccount, CodePurpose, CodeStore, CodeUse, MailContents } from '#store'
import { wrongCode } from '../auth-errors.ts'
import type { DerivedKeys } from '../tokens/derived-keys.ts'
import type { IssuedCode } from '../tokens.ts'
import { type CodeRequest, readCodeRequest } from './code-input.ts'
import { canonicalCode, makeCode } from './code-text.ts'

const lifetimeMs = 10 * 60_000
const maxTries = 5
const limits = { open: 3, hourly: 10 }

interface AccountCodesOptions {
  /** The login field of the account. */
  login: Named
  store: CodeStore
  keys: DerivedKeys
  /** Whether mails leave the service. */
  sendsMail: boolean
  clock: () => number
}

/** What a client sends to use a code. */
interface TriedCode {
  login: string
  code: string
  secret: string
  /** The new password; null: the code is one for a sign-in. */
  password: string | null
}

export class AccountCodes {
  readonly #options: AccountCodesOptions

  constructor(options: AccountCodesOptions) {
    this.#options = options
  }

  /** Throws an ApiError with all problems of the input of `create`. */
  read(input: Record<string, unknown>): CodeRequest {
    return readCodeRequest(input, this.#options.login)
  }

  /** Rejects with TOO_MANY_REQUESTS if the address got too many codes, whether or not it has an account. */
  async create(input: Record<string, unknown>): Promise<IssuedCode> {
    const { purpose, address } = this.read(input)
    const { store, keys, sendsMail, clock } = this.#options
    if (!sendsMail) throw noMail()
    const account = await store.accountWith(address)
    const now = clock()
    const [code, secret, token] = [makeCode(), makeSecret(), makeSecret()]
    const login = canonicalLogin(address)
    const made = {
      id: hashOf(secret),
      purpose,
      login,
      account,
      ...(await keys.hmac(boundText(purpose, login, secret, code))),
      link: purpose === 'SIGN_IN' ? null : hashOf(token),
      created: now,
      expires: now + lifetimeMs,
    }
    const body = await keys.seal(JSON.stringify(contents(purpose, account, code, token)))
    const allowedAt = await store.create(made, { id: uuidv7(now), body }, limits)
    if (allowedAt !== null) throw tooManyCodes(allowedAt, now)
    return { secret, expiresAt: new Date(made.expires).toISOString() }
  }

  /** Counts a try, and returns the code if it is right. It is not used yet. */
  async check({ login, code, secret, password }: TriedCode): Promise<{ id: string; account: string }> {
    const { store, keys, clock } = this.#options
    const purpose: CodePurpose = password === null ? 'SIGN_IN' : 'RESET'
    const stored = await store.try(hashOf(secret), purpose, login, maxTries, clock())
    if (stored === null) throw wrongCode()
    const hmac = await keys.hmacBy(stored.key, boundText(purpose, login, secret, canonicalCode(code)))
    if (hmac === null || !isSame(hmac, stored.hmac) || stored.account === null) throw wrongCode()
    return { id: stored.id, account: stored.account }
  }

  /** Rejects if the code was used or has expired meanwhile. */
  async use(id: string, use: CodeUse): Promise<void> {
    if (!(await this.#options.store.use(id, use))) throw wrongCode()
  }

  /** What the link of a mail is for; null if it can't be used. Looking changes nothing. */
  async linkPurpose(token: string): Promise<CodePurpose | null> {
    return (await this.#findLink(token))?.purpose ?? null
  }

  /** Sets a password by the link of a mail. It makes no session: the page is not the application. */
  async resetByLink(token: string, makeHash: () => Promise<string>): Promise<void> {
    const found = await this.#findLink(token)
    if (found?.purpose !== 'RESET') throw wrongCode()
    const hash = await makeHash()
    const now = this.#options.clock()
    await this.use(found.id, { token: null, use: uuidv7(now), hash, now })
  }

  #findLink(token: string) {
    return this.#options.store.findLink(hashOf(token), this.#options.clock())
  }
}

/** A mail to nobody has everything but an address. */
function contents(kind: CodePurpose, found: AddressedAccount | null, code: string, token: string): MailContents {
  const to = found === null ? null : { account: found.account, address: found.address }
  return { kind, to, code, link: kind === 'SIGN_IN' ? null : token }
}

/** The login comes last: only it may contain the separator. */
function boundText(purpose: CodePurpose, login: string, secret: string, code: string): string {
  return [purpose, secret, code, login].join('\0')
}

/** 128 bits. */
function makeSecret(): string {
  return randomBytes(16).toString('base64url')
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

function isSame(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}

function noMail(): ApiError {
  return new ApiError('UNAVAILABLE', 'This service sends no mails.', {
    hint: 'Its operator can set mail.url and mail.from, or mail.send in twain.config.ts.',
  })
}

function tooManyCodes(allowedAt: number, now: number): ApiError {
  const seconds = Math.max(1, Math.ceil((allowedAt - now) / 1000))
  return new ApiError('TOO_MANY_REQUESTS', 'This address got too many codes.', {
    hint: `Use one of them, or try again in ${seconds} s.`,
    headers: { 'retry-after': String(seconds) },
  })
}
