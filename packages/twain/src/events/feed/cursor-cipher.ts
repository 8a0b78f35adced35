// Encrypts the point of a cursor, so that a client can't count the changes that it may not see. The encryption is deterministic and
// authenticated, with a synthetic IV (as in RFC 5297): the IV is a MAC of the point, and the point is encrypted under it. So equal
// points give equal cursors, and a changed cursor is detected. Both the MAC and the key stream are HMAC-SHA-256, with a key each.
//
//   point = epoch (4 bytes), position (8 bytes)
//   cipher text = base64url of the IV (16 bytes) and the encrypted point

import { hash, timingSafeEqual } from 'node:crypto'
import type { LogPoint } from '#store'

const ivBytes = 16
const pointBytes = 12

/** The characters of a cipher text. */
export const cipherTextLength = Math.ceil(((ivBytes + pointBytes) * 4) / 3)

export class CursorCipher {
  readonly #mac: Hmac
  readonly #keyStream: Hmac

  /** A cursor of another log is invalid, whatever its key. */
  constructor(secret: string, log: string) {
    this.#mac = new Hmac(`twain cursor mac ${log} ${secret}`, pointBytes)
    this.#keyStream = new Hmac(`twain cursor encryption ${log} ${secret}`, ivBytes)
  }

  encrypt({ epoch, position }: LogPoint): string {
    const text = Buffer.allocUnsafe(ivBytes + pointBytes)
    text.writeUInt32BE(Number.parseInt(epoch, 16), ivBytes)
    text.writeUInt32BE(Math.floor(position / 2 ** 32), ivBytes + 4)
    text.writeUInt32BE(position % 2 ** 32, ivBytes + 8)
    this.#mac.digest(text.subarray(ivBytes)).copy(text, 0, 0, ivBytes)
    this.#encryptPoint(text)
    return text.toString('base64url')
  }

  /** Null if this key has not made the text. */
  decrypt(cipherText: string): LogPoint | null {
    const text = Buffer.from(cipherText, 'base64url')
    if (text.length !== ivBytes + pointBytes || text.toString('base64url') !== cipherText) return null
    this.#encryptPoint(text) // the same again restores it
    const point = text.subarray(ivBytes)
    if (!timingSafeEqual(text.subarray(0, ivBytes), this.#mac.digest(point).subarray(0, ivBytes))) return null
    return { epoch: point.toString('hex', 0, 4), position: point.readUInt32BE(4) * 2 ** 32 + point.readUInt32BE(8) }
  }

  #encryptPoint(text: Buffer): void {
    const stream = this.#keyStream.digest(text.subarray(0, ivBytes))
    for (let at = 0; at < pointBytes; at++) text[ivBytes + at]! ^= stream[at]!
  }
}

const blockBytes = 64

/** HMAC-SHA-256 (RFC 2104) of messages of one length. `createHmac` takes thirty times as long for a message this short: it makes
 *  objects of OpenSSL for each. */
class Hmac {
  readonly #inner: Buffer
  readonly #outer = Buffer.alloc(blockBytes + 32)
  readonly #digest = Buffer.alloc(32)

  constructor(secret: string, messageBytes: number) {
    const key = Buffer.alloc(blockBytes)
    key.write(hash('sha256', secret, 'hex'), 'hex')
    this.#inner = Buffer.alloc(blockBytes + messageBytes)
    for (const [at, byte] of key.entries()) {
      this.#inner[at] = byte ^ 0x36
      this.#outer[at] = byte ^ 0x5c
    }
  }

  /** Valid until the next call. */
  digest(message: Buffer): Buffer {
    message.copy(this.#inner, blockBytes)
    this.#outer.write(hash('sha256', this.#inner, 'hex'), blockBytes, 'hex')
    this.#digest.write(hash('sha256', this.#outer, 'hex'), 'hex')
    return this.#digest
  }
}
