// Makes a code with its secret and the token of its link, and stores it together with its mail.

import { ApiError, uuidv7 } from '#base'
import { randomBytes } from '#base/time'
import type { AddressedAccount, CodePurpose, CodeStore, MailContents } from '#store'
import type { DerivedKeys } from '../tokens/derived-keys.ts'
import { hashSecret } from '../tokens/hash-secret.ts'
import type { IssuedCode } from '../tokens.ts'
import { makeCode } from './code-text.ts'

const lifetimeMs = 10 * 60_000
const limits = { open: 3, hourly: 10 }

interface NewCodeOptions {
  purpose: CodePurpose
  /** Canonical. */
  login: string
  /** Null: no account has the address. */
  account: AddressedAccount | null
  /** The mail, without its code and its link. */
  mail: Pick<MailContents, 'kind' | 'to'>
  signUp?: Parameters<CodeStore['create']>[3]
}

interface CodeContext {
  store: CodeStore
  keys: DerivedKeys
  clock: () => number
}

/** Rejects with TOO_MANY_REQUESTS if the address got too many codes, whether or not it has an account. */
export async function issueCode(
  { purpose, login, account, mail, signUp = null }: NewCodeOptions,
  { store, keys, clock }: CodeContext,
): Promise<IssuedCode> {
  const now = clock()
  const [code, secret, token] = [makeCode(), makeSecret(), makeSecret()]
  const hasLink = purpose !== 'SIGN_IN'
  const made = {
    id: hashSecret(secret),
    purpose,
    login,
    account,
    ...(await keys.hmac(boundText(purpose, login, secret, code))),
    link: hasLink ? hashSecret(token) : null,
    created: now,
    expires: now + lifetimeMs,
  }
  const isUsable = mail.kind !== 'SIGN_UP_TAKEN' // the owner of the address has nothing to prove
  const contents: MailContents = { ...mail, code: isUsable ? code : '', link: isUsable && hasLink ? token : null }
  const body = await keys.seal(JSON.stringify(contents))
  const allowedAt = await store.create(made, { id: uuidv7(now), body }, limits, signUp)
  if (allowedAt !== null) throw tooManyCodes(allowedAt, now)
  return { secret, expiresAt: new Date(made.expires).toISOString() }
}

/** The login comes last: only it may contain the separator. */
export function boundText(purpose: CodePurpose, login: string, secret: string, code: string): string {
  return [purpose, secret, code, login].join('\0')
}

/** 128 bits. */
export function makeSecret(): string {
  return randomBytes(16).toString('base64url')
}

function tooManyCodes(allowedAt: number, now: number): ApiError {
  const seconds = Math.max(1, Math.ceil((allowedAt - now) / 1000))
  return new ApiError('TOO_MANY_REQUESTS', 'This address got too many codes.', {
    hint: `Use the last one, or try again in ${seconds} s. A used code counts until it would have expired.`,
    headers: { 'retry-after': String(seconds) },
  })
}
