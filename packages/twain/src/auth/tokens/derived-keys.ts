// Keys for other uses than tokens, derived from the signing keys, so that a service has one secret. They are known by the `kid` of
// the signing key: what was made before a rotation stays valid as long as that key is kept.

import { createCipheriv, createDecipheriv, createHmac, hkdfSync, type KeyObject } from 'node:crypto'
import { randomBytes } from '#base/time'
import type { SigningKeys } from './signing-keys.ts'

const ivBytes = 12
const tagBytes = 16

/** What a sealed text is for: one use can't open a text of another. */
type SealedUse = 'mail' | 'sign-in' | 'sign-in-form' | 'sign-in-code' | 'sign-up'

export class DerivedKeys {
  readonly #keys: SigningKeys

  constructor(keys: SigningKeys) {
    this.#keys = keys
  }

  /** The HMAC of a text, and the key that made it. */
  async hmac(text: string): Promise<{ key: string; hmac: string }> {
    const { kid, key } = (await this.#keys.current()).newest
    return { key: kid, hmac: hmacWith(key, text) }
  }

  /** Null if the key is no longer kept. */
  async hmacBy(kid: string, text: string): Promise<string | null> {
    const key = (await this.#keys.current()).byKid.get(kid)
    return key === undefined ? null : hmacWith(key, text)
  }

  /** Encrypts a text (AES-256-GCM). Only the same use can open it. */
  async seal(text: string, use: SealedUse = 'mail'): Promise<string> {
    const { kid, key } = (await this.#keys.current()).newest
    const iv = randomBytes(ivBytes)
    const cipher = createCipheriv('aes-256-gcm', derive(key, use), iv)
    const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
    return `${kid}.${sealed.toString('base64url')}`
  }

  /** Null if the text was changed, or its key is no longer kept. */
  async open(sealed: string, use: SealedUse = 'mail'): Promise<string | null> {
    const [kid = '', text = ''] = sealed.split('.')
    const key = (await this.#keys.current()).byKid.get(kid)
    if (key === undefined) return null
    const bytes = Buffer.from(text, 'base64url')
    if (bytes.length < ivBytes + tagBytes) return null
    const decipher = createDecipheriv('aes-256-gcm', derive(key, use), bytes.subarray(0, ivBytes))
    decipher.setAuthTag(bytes.subarray(-tagBytes))
    try {
      return decipher.update(bytes.subarray(ivBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
    } catch {
      return null
    }
  }
}

function hmacWith(key: KeyObject, text: string): string {
  return createHmac('sha256', derive(key, 'code')).update(text).digest('base64url')
}

function derive(key: KeyObject, use: SealedUse | 'code'): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', `twain ${use}`, 32))
}
