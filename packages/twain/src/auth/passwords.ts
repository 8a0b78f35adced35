// Passwords: argon2id with the least parameters that OWASP names (19 MiB, 2 passes, 1 lane), kept in PHC form. Hashing is
// heavy by intent, so one at a time for those who sign in and one for accounts that are made or changed: a flood of the
// one does not keep the other waiting. Who would wait too long is told to come again.

import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { WorkQueue } from './work-queue.ts'

const hashArgon2 = promisify(argon2)

interface Argon2Parameters {
  memory: number
  passes: number
  parallelism: number
}

const wanted: Argon2Parameters = { memory: 19_456, passes: 2, parallelism: 1 }
const tagLength = 32

export class Passwords {
  readonly #signingIn = new WorkQueue(100)
  readonly #writing = new WorkQueue(100)
  /** Compared with when there is nothing to compare with, so that this takes as long. */
  readonly #dummy = phc(wanted, randomBytes(16), randomBytes(tagLength))

  /** A Fault UNAVAILABLE when too many wait. */
  hash(password: string): Promise<string> {
    return this.#writing.run(async () => {
      const salt = randomBytes(16)
      return phc(wanted, salt, await derive(password, salt, wanted, tagLength))
    })
  }

  /** `kept` is null for a login that nobody has: as much work, and never true. */
  verify(password: string, kept: string | null): Promise<boolean> {
    return this.#signingIn.run(async () => {
      const { parameters, salt, tag } = parse(kept ?? this.#dummy)
      const given = await derive(password, salt, parameters, tag.length)
      return timingSafeEqual(given, tag) && kept !== null
    })
  }
}

/** Two spellings of the same letters are the same password (RFC 8265, 4.2: NFC). */
function derive(password: string, salt: Buffer, parameters: Argon2Parameters, length: number): Promise<Buffer> {
  const message = Buffer.from(password.normalize('NFC'))
  return hashArgon2('argon2id', { message, nonce: salt, tagLength: length, ...parameters })
}

function phc({ memory, passes, parallelism }: Argon2Parameters, salt: Buffer, tag: Buffer): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`
}

const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

function parse(text: string): { parameters: Argon2Parameters; salt: Buffer; tag: Buffer } {
  const [, memory, passes, parallelism, salt, tag] = form.exec(text) ?? []
  if (salt === undefined || tag === undefined) throw new Error('a kept password hash has an unknown form')
  return {
    parameters: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
