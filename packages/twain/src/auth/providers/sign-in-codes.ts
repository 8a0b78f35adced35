// The code that the application gets after a sign-in with a provider, for `POST /tokens` and `POST /identities`.
//
// 1. It is good for a minute, once, and only with the verifier of the challenge with which the application began (RFC 7636). So a
//    code in a history, a log or a referrer is worth nothing.
// 2. The store has its hash, and the identity encrypted.
// 3. If the new account lacks fields, the person has ten minutes to fill them in.

import { ApiError } from '#base'
import { randomBytes } from '#base/time'
import type { SignInCodeStore } from '#store'
import type { DerivedKeys } from '../tokens/derived-keys.ts'
import { hashSecret } from '../tokens/hash-secret.ts'
import { isSameSecret } from '../tokens/same-secret.ts'
import type { ProviderCodeInput } from './provider-input.ts'

const lifetimeMs = 60_000
const fillInMs = 10 * 60_000

/** Who signed in with a provider, as far as the service needs it. */
export interface ProviderIdentity {
  /** The name of the provider in the settings. */
  provider: string
  issuer: string
  subject: string
  /** As the provider wrote it. */
  email: string | null
  /** Whether the address counts as proven. */
  isProven: boolean
  /** Those that a new account may take its values from, by their names. */
  claims: Readonly<Record<string, unknown>>
}

export interface FoundCode {
  /** Under which it is stored. */
  hash: string
  identity: ProviderIdentity
  /** Milliseconds since 1970. */
  created: number
}

export class SignInCodes {
  readonly #store: SignInCodeStore
  readonly #keys: DerivedKeys
  readonly #clock: () => number

  constructor(store: SignInCodeStore, keys: DerivedKeys, clock: () => number) {
    this.#store = store
    this.#keys = keys
    this.#clock = clock
  }

  async create(identity: ProviderIdentity, challenge: string): Promise<string> {
    const now = this.#clock()
    const code = randomBytes(32).toString('base64url')
    const body = await this.#keys.seal(JSON.stringify(identity), 'sign-in-code')
    await this.#store.create({ hash: hashSecret(code), challenge, body, created: now, expires: now + lifetimeMs })
    return code
  }

  /** Rejects with UNAUTHENTICATED: one answer for every defect. The code is not used yet. */
  async find({ code, challenge }: ProviderCodeInput): Promise<FoundCode> {
    const hash = hashSecret(code)
    const found = await this.#store.find(hash, this.#clock())
    const isOurs = found !== null && isSameSecret(found.challenge, challenge)
    const body = isOurs ? await this.#keys.open(found.body, 'sign-in-code') : null
    if (!isOurs || body === null) throw invalidSignInCode()
    return { hash, identity: JSON.parse(body) as ProviderIdentity, created: found.created }
  }

  /** See 3. */
  async keepOpen({ hash, created }: FoundCode): Promise<void> {
    await this.#store.extend(hash, created + fillInMs)
  }
}

export function invalidSignInCode(): ApiError {
  return new ApiError('UNAUTHENTICATED', 'The code is wrong, was used, or has expired.', {
    hint: 'Begin again with GET /sign-in/{provider}: a code lasts 60 seconds, works once, and belongs to its verifier.',
    headers: { 'www-authenticate': 'Bearer' },
  })
}
