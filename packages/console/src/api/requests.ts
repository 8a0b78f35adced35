// The last requests that the page has sent in this session, for those who want to send them themselves (`twin/`). Without the token and
// without secrets.

import { signal } from '@preact/signals'
import { isSecretField, isSecretName, withoutSecrets } from '../query/secrets.ts'

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
  /** Of the server; null: it has none. */
  id: string | null
  /** Whether the server has recorded its statements. */
  isRecorded: boolean
}

const maxRequests = 30

/** What asks for the statements of a request is neither recorded nor listed. */
export const statementsPath = '/metrics/statements'

/** Whether the server is asked to record the statements of each request (`Prefer: statements`). */
export const isRecording = signal(false)

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
    const isOwn = url.startsWith(root + statementsPath)
    const reply = await fetch(url, isRecording.value && !isOwn ? withPreference(init) : init)
    if (isOwn || sentIn !== sessionNumber) return reply
    const target = url.slice(root.length)
    const measured = {
      duration: performance.now() - begin,
      serverTiming: reply.headers.get('server-timing'),
      id: reply.headers.get('x-request-id'),
      isRecorded: reply.headers.get('preference-applied')?.includes('statements') === true,
    }
    // The same answer as before, as to a poll without news: the request stays where it is in the list, with its new times and SQL.
    if (reply.status === 304) {
      const former = sentRequests.value.find((one) => one.target === target)
      sentRequests.value = sentRequests.value.map((one) => (one === former ? { ...one, ...measured } : one))
      return reply
    }
    const { authorization: _, ...headers } = Object.fromEntries(new Headers(init.headers))
    lastNumber += 1
    const request: SentRequest = {
      number: lastNumber,
      method: init.method ?? 'GET',
      target,
      headers,
      body: typeof init.body === 'string' ? bodyWithoutSecrets(init.body, target) : null,
      status: reply.status,
      ...measured,
    }
    sentRequests.value = [request, ...sentRequests.value].slice(0, maxRequests)
    return reply
  }
}

function withPreference(init: RequestInit): RequestInit {
  const headers = new Headers(init.headers)
  headers.append('prefer', 'statements')
  return { ...init, headers }
}

/** Where a `code` or a `key` is one. */
const secretPaths = /^\/(graphql|tokens|codes|verifications|identities|api-keys)\b/

/** At any depth: in rows, in the operations of `/batch`, and in the variables and the document of GraphQL. */
function bodyWithoutSecrets(json: string, target: string): string {
  const isSecret = secretPaths.test(target) ? isSecretName : isSecretField
  const body: unknown = JSON.parse(json, (name, value) => (isSecret(name) && value !== null ? '…' : value))
  const { query } = (body ?? {}) as { query?: unknown }
  const isDocument = target === '/graphql' && typeof query === 'string'
  return JSON.stringify(isDocument ? { ...(body as object), query: withoutSecrets(query) } : body)
}
