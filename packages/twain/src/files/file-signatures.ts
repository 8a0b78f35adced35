// Signed URLs of files: anyone with the URL may read the file for about an hour. The signature is an HMAC-SHA-256 over the
// method, the file, the variant of the image and the expiry time: a URL of one variant opens no other. The secret is stored with the data, so all nodes use the same.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { randomBytes } from '#base/time'
import type { MachineCredentialStore } from '#store'

const validSeconds = 3600
/** How long the URL of a file stays the same, so that caches and ETags of responses with it remain valid. */
const stableUrlSeconds = 600

const secretName = 'files'

export class FileSignatures {
  readonly #secret: Buffer
  readonly #clock: () => number

  constructor(secret: Buffer, clock: () => number) {
    this.#secret = secret
    this.#clock = clock
  }

  /** The query string for the path of the file: valid for an hour, and a little longer. `variant` is the query string of a
   *  variant of the image, empty for the file itself. */
  sign(id: string, variant: string): string {
    const expires = (Math.floor(this.#clock() / 1000 / stableUrlSeconds) + 1) * stableUrlSeconds + validSeconds
    const signature = this.#signatureOf(id, variant, expires).toString('base64url')
    return `?${variant === '' ? '' : `${variant}&`}expires=${expires}&signature=${signature}`
  }

  /** Null: the signature is invalid. */
  check(id: string, variant: string, expires: string, signature: string): 'good' | 'expired' | null {
    if (!/^\d{1,12}$/.test(expires)) return null
    const sent = Buffer.from(signature, 'base64url')
    const expected = this.#signatureOf(id, variant, Number(expires))
    if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) return null
    return this.#clock() < Number(expires) * 1000 ? 'good' : 'expired'
  }

  /** HEAD requests use the signature of GET. */
  #signatureOf(id: string, variant: string, expires: number): Buffer {
    return createHmac('sha256', this.#secret)
      .update(`GET\n${id}\n${expires}${variant === '' ? '' : `\n${variant}`}`)
      .digest()
  }
}

/** Generates the secret once. If two nodes generate one at the same time, both use the one that was stored first. */
export async function openFileSignatures(
  credentials: MachineCredentialStore,
  clock: () => number,
): Promise<FileSignatures> {
  const stored = async () => (await credentials.secrets()).find(({ name }) => name === secretName)
  if ((await stored()) === undefined) {
    await credentials.saveSecret({ name: secretName, value: randomBytes(32).toString('base64url'), created: clock() })
  }
  const secret = await stored()
  if (secret === undefined) throw new Error('the secret of file signatures was not stored')
  return new FileSignatures(Buffer.from(secret.value, 'base64url'), clock)
}
