// One attempt: a message to a receiver, and what it answered.
//
// 1. The address is judged where it is used: those that the name resolves to are judged, and the connection goes to these and
//    not to what another question to the name server might give. One that is private among them is enough to refuse.
// 2. Nothing is followed: a redirect is an answer like any other that is not 2xx.
// 3. Of the answer at most 64 KB are read, within the time that is left. What counts is its status.

import { type LookupAddress, lookup } from 'node:dns'
import { type Agent as HttpAgent, type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { DeliveryAttempt } from '#store'
import { isPrivateAddress } from './private-address.ts'

export interface WebhookMessage {
  url: string
  headers: Record<string, string>
  body: string
}

export interface SendOptions {
  allowPrivate: boolean
  /** Milliseconds. */
  timeoutMs: number
  /** Keep connections. */
  agents: { http: HttpAgent; https: HttpAgent }
  resolve: ResolveHostName
  clock: () => number
  /** The node is going: what is under way is given up. */
  signal: AbortSignal
}

export type ResolveHostName = (name: string, done: (error: Error | null, addresses: LookupAddress[]) => void) => void

/** As the machine resolves all names. */
export const resolveHostName: ResolveHostName = (name, done) => lookup(name, { all: true }, done)

const mostRead = 65_536
const mostKept = 1024

export interface SendResult extends DeliveryAttempt {
  /** Seconds that the receiver asks for; null: it does not. */
  retryAfterSeconds: number | null
}

/** Never rejects. */
export async function send(message: WebhookMessage, sending: SendOptions): Promise<SendResult> {
  const at = sending.clock()
  const began = performance.now()
  const done = (
    status: number | null,
    answer: string | null,
    error: string | null,
    retryAfterSeconds: number | null = null,
  ) => ({
    at,
    took: Math.round(performance.now() - began),
    status,
    answer,
    error,
    retryAfterSeconds,
  })
  const timeOver = AbortSignal.timeout(sending.timeoutMs)
  const signal = AbortSignal.any([timeOver, sending.signal])
  try {
    const reply = await exchange(message, sending, signal)
    const status = reply.statusCode ?? 0
    const answer = await beginning(reply)
    return done(status, answer, spellStatus(status), secondsOf(reply.headers['retry-after']))
  } catch (error) {
    if (timeOver.aborted) return done(null, null, `No answer within ${sending.timeoutMs / 1000} s.`)
    return done(null, null, spellError(error))
  }
}

/** What is wrong with where it goes, as far as the address itself tells; null: nothing. */
export function urlProblem(text: string, allowPrivate: boolean): string | null {
  const url = URL.parse(text)
  if (url === null) return 'must be an address such as https://example.com/hook.'
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https:// or http://.'
  if (url.username !== '' || url.password !== '') return 'must not hold a name or a password.'
  const host = hostOf(url)
  const isPrivate = isIP(host) > 0 ? isPrivateAddress(host) : /(^|\.)localhost\.?$/.test(host)
  return isPrivate && !allowPrivate ? privateHost(host) : null
}

function exchange(
  { url, headers, body }: WebhookMessage,
  sending: SendOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const target = new URL(url)
    const wrong = urlProblem(url, sending.allowPrivate) // a literal address is never looked up
    if (wrong !== null) {
      reject(new Error(`The address ${wrong}`))
      return
    }
    const isSecure = target.protocol === 'https:'
    const bytes = Buffer.from(body)
    const options: RequestOptions = {
      method: 'POST',
      headers: { ...headers, 'content-length': String(bytes.length) },
      agent: isSecure ? sending.agents.https : sending.agents.http,
      lookup: judgedLookup(sending),
      signal,
    }
    const outgoing = isSecure ? requestHttps(target, options) : requestHttp(target, options)
    outgoing.on('response', resolve)
    outgoing.on('error', reject)
    outgoing.end(bytes)
  })
}

/** See 1. */
function judgedLookup({ resolve, allowPrivate }: SendOptions): LookupFunction {
  return (name, options, done) => {
    resolve(name, (error, addresses) => {
      const bad = allowPrivate ? undefined : addresses?.find(({ address }) => isPrivateAddress(address))
      const [first] = addresses ?? []
      const wrong = error ?? (bad === undefined ? null : new Error(`The address ${privateHost(bad.address)}`))
      if (wrong !== null || first === undefined) done(wrong ?? new Error(`${name} has no address.`), '', 0)
      else if (options.all === true) done(null, addresses)
      else done(null, first.address, first.family)
    })
  }
}

/** See 3. What comes after the status may fail as it likes. */
async function beginning(reply: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of reply) {
      parts.push(part as Buffer)
      size += (part as Buffer).length
      if (size >= mostRead) break // ends the connection
    }
  } catch {
    // It is the status that counts.
  }
  return new TextDecoder().decode(Buffer.concat(parts).subarray(0, mostKept), { stream: true })
}

function spellStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? `It answered ${status}; redirects are not followed.` : `It answered ${status}.`
}

function spellError(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string }
  return message === undefined || message === ''
    ? `It could not be reached (${code ?? 'no reason is known'}).`
    : message
}

/** Seconds, or a date (RFC 9110, 10.2.3). */
function secondsOf(text: string | undefined): number | null {
  if (text === undefined) return null
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null
}

function privateHost(host: string): string {
  return `leads into a private network (${host}); the setting webhooks.allowPrivate allows it.`
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}
