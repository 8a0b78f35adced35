// The only way of the console to the data: `@twain/client` on the public APIs, as the user who signed in.

import { createClient, HttpError } from '@twain/client'
import { texts } from '../texts.ts'
import { acting, bearer, renewBearer } from './acting.ts'
import { base } from './base.ts'
import { recordingFetch } from './requests.ts'

const isNobody = acting !== null && acting.session === null
const send = recordingFetch(`${location.origin}${base}`)

export const client = createClient({
  url: `${location.origin}${base}/graphql`,
  headers: { 'x-client-name': 'twain-console' },
  authorization: () => {
    const token = bearer()
    return token === null ? null : `Bearer ${token}`
  },
  ...(isNobody ? { fetch: readingFetch } : { refresh: renewBearer, fetch: send }),
})

/** As nobody there is no session that the server could keep from writing. */
async function readingFetch(url: string, init: RequestInit): Promise<Response> {
  const isRead = (init.method ?? 'GET') === 'GET' || (url.endsWith('/graphql') && !mayWrite(init.body))
  if (!isRead) throw new Error(texts.onlyReads)
  return send(url, init)
}

/** Also where a text in the document has the word. */
function mayWrite(body: RequestInit['body']): boolean {
  return typeof body !== 'string' || /\bmutation\b/.test(body)
}

/** An error as the server describes it. */
export interface Failure {
  status: number
  code: string
  text: string
  /** The mistakes, each with its place: `title`, or `1.title` in a transaction. */
  details: readonly { path: string; message: string }[]
}

export function failureOf(error: unknown): Failure {
  if (!(error instanceof HttpError)) {
    return { status: 0, code: 'NETWORK', text: error instanceof Error ? error.message : String(error), details: [] }
  }
  const problem = error.problem as (HttpError['problem'] & { hint?: string }) | null
  return {
    status: error.status,
    code: problem?.code ?? String(error.status),
    text: [error.message, problem?.hint].filter(Boolean).join(' '),
    details: problem?.errors ?? [],
  }
}
