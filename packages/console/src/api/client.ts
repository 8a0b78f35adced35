// The only way of the console to the data: `@twain/client` on the public APIs, as the user who signed in.

import { createClient, HttpError } from '@twain/client'
import { base } from './base.ts'
import { recordingFetch } from './requests.ts'
import { refreshSession, session } from './session.ts'

export const client = createClient({
  url: `${location.origin}${base}/graphql`,
  headers: { 'x-client-name': 'twain-console' },
  authorization: () => (session.value === null ? null : `Bearer ${session.value.token}`),
  refresh: refreshSession,
  fetch: recordingFetch(`${location.origin}${base}`),
})

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
