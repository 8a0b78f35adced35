// The last requests that the page has sent in this session, for those who want to send them themselves (`twin/`). Without the token and
// without passwords.

import { signal } from '@preact/signals'

export interface SentRequest {
  number: number
  method: string
  /** Below the base of the service, with the query: `/posts?first=50`. */
  target: string
  headers: Readonly<Record<string, string>>
  /** JSON; null: none. */
  body: string | null
  status: number
  /** Milliseconds until the headers of the answer. */
  duration: number
  /** The time of each stage on the server; null: the server does not tell. */
  serverTiming: string | null
}

const maxRequests = 30

/** The newest first. */
export const sentRequests = signal<readonly SentRequest[]>([])

let lastNumber = 0
/** Counts the sessions: an answer that comes after the end of its session is not recorded. */
let sessionNumber = 0

/** Another user may sign in now. */
export function forgetRequests(): void {
  sessionNumber += 1
  sentRequests.value = []
}

export function recordingFetch(root: string): (url: string, init: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const begin = performance.now()
    const sentIn = sessionNumber
    const reply = await fetch(url, init)
    if (sentIn !== sessionNumber || reply.status === 304) return reply // a poll without news is no request to repeat
    const { authorization: _, ...headers } = Object.fromEntries(new Headers(init.headers))
    lastNumber += 1
    const request: SentRequest = {
      number: lastNumber,
      method: init.method ?? 'GET',
      target: url.slice(root.length),
      headers,
      body: typeof init.body === 'string' ? withoutPasswords(init.body) : null,
      status: reply.status,
      duration: performance.now() - begin,
      serverTiming: reply.headers.get('server-timing'),
    }
    sentRequests.value = [request, ...sentRequests.value].slice(0, maxRequests)
    return reply
  }
}

const secretNames = new Set(['password', 'currentPassword'])

/** At any depth: in rows, in the operations of `/batch`, and in the variables of GraphQL. */
function withoutPasswords(json: string): string {
  return JSON.stringify(JSON.parse(json, (name, value) => (secretNames.has(name) && value !== null ? '…' : value)))
}
