/** A random unique key. It does not use `randomUUID`, which pages without HTTPS do not have. */
export function makeKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
