// The signature that lets anyone who has the address read a file for an hour: HMAC-SHA-256 over the method, the file and the
// time until which it counts, with a secret that is kept with the data, so that every node signs alike.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { MachineCredentialStore } from '#store'

const lasts = 3600
/** Seconds for which a file has the same address, so that caches and ETags of what shows it hold. */
const same = 600

const secretName = 'files'

export class FileSignatures {
  readonly #secret: Buffer
  readonly #clock: () => number

  constructor(secret: Buffer, clock: () => number) {
    this.#secret = secret
    this.#clock = clock
  }

  /** What stands behind the path of the file: good for an hour, and a little longer. */
  sign(id: string): string {
    const expires = (Math.floor(this.#clock() / 1000 / same) + 1) * same + lasts
    return `?expires=${expires}&signature=${this.#of(id, expires).toString('base64url')}`
  }

  /** `null`: it is none of ours. */
  check(id: string, expires: string, signature: string): 'good' | 'expired' | null {
    if (!/^\d{1,12}$/.test(expires)) return null
    const given = Buffer.from(signature, 'base64url')
    const right = this.#of(id, Number(expires))
    if (given.length !== right.length || !timingSafeEqual(given, right)) return null
    return this.#clock() < Number(expires) * 1000 ? 'good' : 'expired'
  }

  /** HEAD is as good as GET; there is no other way to read. */
  #of(id: string, expires: number): Buffer {
    return createHmac('sha256', this.#secret).update(`GET\n${id}\n${expires}`).digest()
  }
}

/** Made once. Of two nodes that make one at the same time, both take the one that was kept. */
export async function openFileSignatures(
  credentials: MachineCredentialStore,
  clock: () => number,
): Promise<FileSignatures> {
  const kept = async () => (await credentials.secrets()).find(({ name }) => name === secretName)
  if ((await kept()) === undefined) {
    await credentials.saveSecret({ name: secretName, value: randomBytes(32).toString('base64url'), created: clock() })
  }
  const secret = await kept()
  if (secret === undefined) throw new Error('the secret of the files was not kept')
  return new FileSignatures(Buffer.from(secret.value, 'base64url'), clock)
}
