// GraphQL over HTTP: one operation, or a batch of them, as a POST.

import { type Answer, parseJson } from '../errors.ts'
import { type Http, type HttpReply, httpError } from './http.ts'

export interface GraphQLRequest {
  readonly query: string
  readonly operationName?: string | undefined
  readonly variables: Readonly<Record<string, unknown>>
  /** For a mutation: the server recognizes a retry by it. */
  readonly idempotencyKey?: string | undefined
  readonly isSafe: boolean
}

const accept = 'application/graphql-response+json, application/json;q=0.9'

export async function post(http: Http, url: string, call: GraphQLRequest, signal?: AbortSignal): Promise<Answer> {
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

/** The responses in the order of the operations; null if the server refused the whole batch. */
export async function postAll(http: Http, url: string, bodies: string[], isSafe: boolean, signal?: AbortSignal) {
  const reply = await http.send(url, { method: 'POST', headers: json, body: `[${bodies.join()}]`, signal, isSafe })
  const answers = parseJson(reply.text)
  if (Array.isArray(answers) && answers.length === bodies.length) return answers as Answer[]
  if (reply.status < 400 || reply.status === 429 || reply.status >= 500) throw httpError(reply)
  return null
}

const json = { 'content-type': 'application/json', accept }

/** A 4xx may be a GraphQL response; a 5xx never is. */
export function readAnswer(reply: HttpReply): Answer {
  const answer = parseJson(reply.text) as Answer | null | undefined
  const isAnswer = typeof answer === 'object' && answer !== null && (Array.isArray(answer.errors) || 'data' in answer)
  const isProblem = reply.headers.get('content-type')?.includes('problem+json') === true
  if (!isAnswer || isProblem || reply.status >= 500) throw httpError(reply)
  return answer
}
