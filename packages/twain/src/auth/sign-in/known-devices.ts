// What a client keeps to show that somebody has signed in to an account with it before. It lets nobody in: it only spares its owner
// the pauses that strangers cause. It is bound to the login, and has an HMAC with a key of the service.

import { timingSafeEqual } from 'node:crypto'
import { randomBytes } from '#base/time'
import type { DerivedKeys } from '../tokens/derived-keys.ts'

export class KnownDevices {
  readonly #keys: DerivedKeys

  constructor(keys: DerivedKeys) {
    this.#keys = keys
  }

  /** `login` is canonical. */
  async make(login: string): Promise<string> {
    const id = randomBytes(16).toString('base64url')
    const { key, hmac } = await this.#keys.hmac(boundText(id, login))
    return [id, key, hmac].join('.')
  }

  /** Null if the text was not made here for this login. */
  async idOf(text: string, login: string): Promise<string | null> {
    const [id = '', kid = '', hmac = ''] = text.split('.')
    const expected = await this.#keys.hmacBy(kid, boundText(id, login))
    if (expected === null || expected.length !== hmac.length) return null
    return timingSafeEqual(Buffer.from(expected), Buffer.from(hmac)) ? id : null
  }
}

function boundText(id: string, login: string): string {
  return ['DEVICE', id, login].join('\0')
}
