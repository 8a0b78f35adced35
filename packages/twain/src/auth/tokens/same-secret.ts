// Compares secrets in a time that does not depend on where they differ.

import { timingSafeEqual } from 'node:crypto'

export function isSameSecret(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
