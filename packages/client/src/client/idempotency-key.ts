/** Random enough that no two are the same; also where a page is not served securely, which has no `randomUUID`. */
export function makeKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
