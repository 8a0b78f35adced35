// Whether a password is one of the most common ones, which an attacker tries first. The file beside this one is a Bloom filter of
// 100,000 passwords (`scripts/common-passwords.ts` makes it): it finds each of them, and takes about one other password in 4,000 for
// one of them.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** How many bits of the filter a password sets. With 17 bits for each password, 12 are best. */
const hashes = 12

let filter: Buffer | null = null

/** Capitals make no difference. */
export function isCommonPassword(password: string): boolean {
  filter ??= readFileSync(new URL('./common-passwords.bin', import.meta.url))
  return bitsOf(password, filter.length * 8).every((bit) => (filter![bit >> 3]! & (1 << (bit & 7))) !== 0)
}

/** The places of a password among `bits` bits. */
export function bitsOf(password: string, bits: number): number[] {
  const digest = createHash('sha256').update(password.toLowerCase()).digest()
  const first = digest.readUIntBE(0, 6)
  const step = digest.readUIntBE(6, 6)
  return Array.from({ length: hashes }, (_, number) => (first + number * step) % bits)
}
