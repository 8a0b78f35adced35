// GraphQL over HTTP: one operation, or a batch of them, as a POST.

import { type Answer, parseJson } from '../errors.ts'
import { type Http, httpError, type Reply } from './http.ts'

export interface Call {
  readonly query: string
  readonly operationName?: string | undefined
  readonly variables: Readonly<Record<string, unknown>>
  /** Of a mutation: by it the server knows that it has done this before. */
  readonly idempotencyKey?: string | undefined
  readonly isSafe: boolean
}

const accept = 'application/graphql-response+json, application/json;q=0.9'

export async function post(http: Http, url: string, call: Call, signal?: AbortSignal): Promise<Answer> {
  const { query, operationName, variables, idempotencyKey, isSafe } = call
  const reply = await http.send(url, {
    method: 'POST',
    headers: { ...json, ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }) },
    body: JSON.stringify({ query, operationName, variables }),
    signal,
    isSafe,
  })
  return readAnswer(reply)
}

/** An answer for each, in their order; null if the server refused them together. */
export async function postAll(http: Http, url: string, bodies: string[], isSafe: boolean, signal?: AbortSignal) {
  const reply = await http.send(url, { method: 'POST', headers: json, body: `[${bodies.join()}]`, signal, isSafe })
  const answers = parseJson(reply.text)
  if (Array.isArray(answers) && answers.length === bodies.length) return answers as Answer[]
  if (reply.status < 400 || reply.status === 429 || reply.status >= 500) throw httpError(reply)
  return null
}

const json = { 'content-type': 'application/json', accept }

/** A 4xx that is a GraphQL answer is one; a 5xx never is. */
export function readAnswer(reply: Reply): Answer {
  const answer = parseJson(reply.text) as Answer | null | undefined
  const isAnswer = typeof answer === 'object' && answer !== null && (Array.isArray(answer.errors) || 'data' in answer)
  const isProblem = reply.headers.get('content-type')?.includes('problem+json') === true
  if (!isAnswer || isProblem || reply.status >= 500) throw httpError(reply)
  return answer
}
