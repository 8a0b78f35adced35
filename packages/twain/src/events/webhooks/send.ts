// Sends one message to a receiver and returns the outcome.
//
// 1. The address check and the connection use the same DNS result, so a second lookup can't point elsewhere. One private
//    address among the results is enough to refuse.
// 2. Redirects are not followed: like every other status that is not 2xx, they are failures.
// 3. At most 64 KB of the response body are read, within the timeout. Only the status decides about success.

import { type LookupAddress, lookup } from 'node:dns'
import { type Agent as HttpAgent, type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { monotonicTime, timeoutSignal, wallTime } from '#base/time'
import type { DeliveryAttempt } from '#store'
import { isPrivateAddress } from './private-address.ts'

export interface WebhookMessage {
  url: string
  headers: Record<string, string>
  body: string
}

export interface SendOptions {
  allowPrivate: boolean
  timeoutMs: number
  /** With keep-alive connections. */
  agents: { http: HttpAgent; https: HttpAgent }
  resolve: ResolveHostName
  clock: () => number
  /** Aborted when the node stops. */
  signal: AbortSignal
}

export type ResolveHostName = (name: string, done: (error: Error | null, addresses: LookupAddress[]) => void) => void

/** Resolves with the resolver of the operating system. */
export const resolveHostName: ResolveHostName = (name, done) => lookup(name, { all: true }, done)

const maxReadBytes = 65_536
const maxStoredBytes = 1024

export interface SendResult extends DeliveryAttempt {
  /** From the `Retry-After` header; null without one. */
  retryAfterSeconds: number | null
}

/** Never rejects. */
export async function send(message: WebhookMessage, sending: SendOptions): Promise<SendResult> {
  const at = sending.clock()
  const began = monotonicTime()
  const done = (
    status: number | null,
    answer: string | null,
    error: string | null,
    retryAfterSeconds: number | null = null,
  ) => ({
    at,
    took: Math.round(monotonicTime() - began),
    status,
    answer,
    error,
    retryAfterSeconds,
  })
  const timeout = timeoutSignal(sending.timeoutMs)
  const signal = AbortSignal.any([timeout, sending.signal])
  try {
    const response = await post(message, sending, signal)
    const status = response.statusCode ?? 0
    const answer = await readBodyStart(response)
    return done(status, answer, statusError(status), parseRetryAfter(response.headers['retry-after']))
  } catch (error) {
    if (timeout.aborted) return done(null, null, `No answer within ${sending.timeoutMs / 1000} s.`)
    return done(null, null, describeError(error))
  }
}

/** A problem that the URL itself shows; null: none. */
export function urlProblem(text: string, allowPrivate: boolean): string | null {
  const url = URL.parse(text)
  if (url === null) return 'must be a URL such as https://example.com/hook.'
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https:// or http://.'
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or a password.'
  const host = hostOf(url)
  const isPrivate = isIP(host) > 0 ? isPrivateAddress(host) : /(^|\.)localhost\.?$/.test(host)
  return isPrivate && !allowPrivate ? privateAddressProblem(host) : null
}

function post(
  { url, headers, body }: WebhookMessage,
  sending: SendOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const target = new URL(url)
    const problem = urlProblem(url, sending.allowPrivate) // an IP address in the URL is never looked up
    if (problem !== null) {
      reject(new Error(`The URL ${problem}`))
      return
    }
    const isSecure = target.protocol === 'https:'
    const bytes = Buffer.from(body)
    const options: RequestOptions = {
      method: 'POST',
      headers: { ...headers, 'content-length': String(bytes.length) },
      agent: isSecure ? sending.agents.https : sending.agents.http,
      lookup: checkedLookup(sending),
      signal,
    }
    const outgoing = isSecure ? requestHttps(target, options) : requestHttp(target, options)
    outgoing.on('response', resolve)
    outgoing.on('error', reject)
    outgoing.end(bytes)
  })
}

/** See 1. */
function checkedLookup({ resolve, allowPrivate }: SendOptions): LookupFunction {
  return (name, options, done) => {
    resolve(name, (error, addresses) => {
      const bad = allowPrivate ? undefined : addresses?.find(({ address }) => isPrivateAddress(address))
      const [first] = addresses ?? []
      const wrong = error ?? (bad === undefined ? null : new Error(`The address ${privateAddressProblem(bad.address)}`))
      if (wrong !== null || first === undefined) done(wrong ?? new Error(`${name} has no address.`), '', 0)
      else if (options.all === true) done(null, addresses)
      else done(null, first.address, first.family)
    })
  }
}

/** See 3. */
async function readBodyStart(response: IncomingMessage): Promise<string> {
  const options: Buffer[] = []
  let size = 0
  try {
    for await (const part of response) {
      options.push(part as Buffer)
      size += (part as Buffer).length
      if (size >= maxReadBytes) break // ends the connection
    }
  } catch {
    // Only the status decides.
  }
  return new TextDecoder().decode(Buffer.concat(options).subarray(0, maxStoredBytes), { stream: true })
}

function statusError(status: number): string | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400
    ? `The receiver answered ${status}; redirects are not followed.`
    : `The receiver answered ${status}.`
}

function describeError(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string }
  return message === undefined || message === ''
    ? `The receiver could not be reached (${code ?? 'unknown reason'}).`
    : message
}

/** Seconds, or a date (RFC 9110, 10.2.3). */
function parseRetryAfter(text: string | undefined): number | null {
  if (text === undefined) return null
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - wallTime()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null
}

function privateAddressProblem(host: string): string {
  return `points to a private network (${host}); the setting webhooks.allowPrivate allows it.`
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}
