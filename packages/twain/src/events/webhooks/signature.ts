// Secrets and signatures by Standard Webhooks (https://www.standardwebhooks.com), which receivers have libraries for: an HMAC
// of the id, the time and the body.

import { createHmac, randomBytes } from 'node:crypto'

const mark = 'whsec_'
/** Bytes: what the standard asks for. */
const [least, most] = [24, 64]

export function generateSecret(): string {
  return mark + randomBytes(32).toString('base64')
}

/** What is wrong with a secret, or null. */
export function secretProblem(secret: string): string | null {
  const [, text] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? []
  const bytes = text === undefined ? 0 : Buffer.from(text, 'base64').length
  if (bytes >= least && bytes <= most) return null
  return `must be "${mark}" and then base64 of ${least} to ${most} bytes; one is made where it is left out.`
}

/** The header fields of a message; `now` in milliseconds. */
export function signedHeaders(id: string, body: string, secret: string, now: number): Record<string, string> {
  const time = Math.floor(now / 1000)
  const key = Buffer.from(secret.slice(mark.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': String(time), 'webhook-signature': `v1,${signature}` }
}
