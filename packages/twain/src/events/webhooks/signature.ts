// Secrets and signatures of Standard Webhooks (https://www.standardwebhooks.com): an HMAC of the id, the time and the body.

import { createHmac } from 'node:crypto'
import { randomBytes } from '#base/time'

const secretPrefix = 'whsec_'
/** As the standard requires. */
const [minSecretBytes, maxSecretBytes] = [24, 64]

export const signedHeaderNames = {
  id: 'webhook-id',
  time: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const

export function generateSecret(): string {
  return secretPrefix + randomBytes(32).toString('base64')
}

/** The problem of a secret, or null. */
export function secretProblem(secret: string): string | null {
  const [, text] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? []
  const bytes = text === undefined ? 0 : Buffer.from(text, 'base64').length
  if (bytes >= minSecretBytes && bytes <= maxSecretBytes) return null
  return `must be "${secretPrefix}" and then base64 of ${minSecretBytes} to ${maxSecretBytes} bytes; without a secret, Twain generates one.`
}

/** The headers of a message; `now` is in milliseconds. */
export function signedHeaders(id: string, body: string, secret: string, now: number): Record<string, string> {
  const time = Math.floor(now / 1000)
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64')
  const names = signedHeaderNames
  return { [names.id]: id, [names.time]: String(time), [names.signature]: `v1,${signature}` }
}
