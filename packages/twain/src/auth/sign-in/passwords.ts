// Hashes passwords with argon2id and the minimum parameters of OWASP (19 MiB, 2 passes, 1 lane), stored in PHC format. Hashing
// is slow by design, so there are two queues: one for sign-in, one for new and changed passwords. A flood of one does not
// block the other, and one client does not block others (`FairQueue`).

import { argon2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { FairQueue } from '#base'
import { randomBytes } from '#base/time'

const hashArgon2 = promisify(argon2)

interface Argon2Parameters {
  memory: number
  passes: number
  parallelism: number
}

const currentParameters: Argon2Parameters = { memory: 19_456, passes: 2, parallelism: 1 }
const tagLength = 32

const queueOptions = {
  maxAtOnce: 1,
  maxOfClient: 50,
  maxOfAll: 500,
  message: 'Too many sign-ins and sign-ups at the moment.',
  retryAfterSeconds: 2,
}

export class Passwords {
  readonly #signingIn = new FairQueue(queueOptions)
  readonly #writing = new FairQueue(queueOptions)
  /** Verified against for unknown logins, so that they take the same time. */
  readonly #dummy = phc(currentParameters, randomBytes(16), randomBytes(tagLength))

  /** Rejects with UNAVAILABLE if the queue is full. */
  hash(password: string, client = ''): Promise<string> {
    return this.#writing.run(client, async () => {
      const salt = randomBytes(16)
      return phc(currentParameters, salt, await derive(password, salt, currentParameters, tagLength))
    })
  }

  /** `storedHash` is null for an unknown login: the same work, and never true. */
  verify(password: string, storedHash: string | null, client = ''): Promise<boolean> {
    return this.#signingIn.run(client, async () => {
      const { parameters, salt, tag } = parse(storedHash ?? this.#dummy)
      const derived = await derive(password, salt, parameters, tag.length)
      return timingSafeEqual(derived, tag) && storedHash !== null
    })
  }
}

/** Passwords are compared in Unicode NFC (RFC 8265, 4.2). */
function derive(password: string, salt: Buffer, parameters: Argon2Parameters, length: number): Promise<Buffer> {
  const message = Buffer.from(password.normalize('NFC'))
  return hashArgon2('argon2id', { message, nonce: salt, tagLength: length, ...parameters })
}

function phc({ memory, passes, parallelism }: Argon2Parameters, salt: Buffer, tag: Buffer): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`
}

const phcPattern = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

function parse(text: string): { parameters: Argon2Parameters; salt: Buffer; tag: Buffer } {
  const [, memory, passes, parallelism, salt, tag] = phcPattern.exec(text) ?? []
  if (salt === undefined || tag === undefined) throw new Error('a stored password hash has an unknown format')
  return {
    parameters: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
