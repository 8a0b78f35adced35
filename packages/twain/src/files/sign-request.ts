// AWS Signature Version 4 for S3-compatible storage: signs each request with the time, the region and the hash of its body.

import { createHash, createHmac } from 'node:crypto'

export interface S3Credentials {
  region: string
  accessKey: string
  secretKey: string
  /** Of temporary keys; null or absent: the keys are permanent. */
  sessionToken?: string | null
}

export interface S3Request {
  method: 'GET' | 'PUT' | 'DELETE'
  url: URL
  /** Names in lower case. */
  headers: Record<string, string>
  /** SHA-256 of the body in hex. */
  bodyHash: string
}

export const emptyHash: string = sha256('')

/** The headers to send with the request. */
export function signRequest(request: S3Request, keys: S3Credentials, now: Date): Record<string, string> {
  const { method, url, bodyHash } = request
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '')
  const day = time.slice(0, 8)
  const signed: Record<string, string> = {
    ...request.headers,
    host: url.host,
    'x-amz-content-sha256': bodyHash,
    'x-amz-date': time,
    ...(keys.sessionToken ? { 'x-amz-security-token': keys.sessionToken } : {}),
  }
  const names = Object.keys(signed).sort()
  const lines = names.map((name) => `${name}:${signed[name]!.trim()}\n`).join('')
  const canonical = [method, url.pathname, queryOf(url), lines, names.join(';'), bodyHash].join('\n')
  const scope = `${day}/${keys.region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')
  const key = [day, keys.region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${keys.secretKey}`)
  const signature = hmac(key, text).toString('hex')
  const credential = `Credential=${keys.accessKey}/${scope}`
  const { host, ...sent } = signed // the HTTP client sends it
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 ${credential},SignedHeaders=${names.join(';')},Signature=${signature}`,
  }
}

/** Sorted by name; everything but the unreserved characters of RFC 3986 is encoded. */
function queryOf({ searchParams }: URL): string {
  const pairs = [...searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`)
  return pairs.sort().join('&')
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
