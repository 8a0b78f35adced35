// The only way of the console to the data: `@twain/client` on the public APIs, as the user who signed in.

import { createClient, HttpError } from '@twain/client'
import { texts } from '../texts.ts'
import { acting, bearer, renewBearer } from './acting.ts'
import { base } from './base.ts'
import { mayWrite } from './only-reads.ts'
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

async function readingFetch(url: string, init: RequestInit): Promise<Response> {
  refuseWrites(url, init)
  return send(url, init)
}

/** Throws as nobody; every other session is kept from writing by the server. */
export function refuseWrites(url: string, init: RequestInit): void {
  if (isNobody && mayWrite(url, init)) throw new Error(texts.onlyReads)
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
