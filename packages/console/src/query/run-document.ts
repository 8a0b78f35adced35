// Sends a document: a query or mutation once, a subscription as a stream of events (GraphQL over SSE, distinct connections).

import { HttpError } from '@twain/client'
import { bearer, renewBearer } from '../api/acting.ts'
import { base } from '../api/base.ts'
import { client, refuseWrites } from '../api/client.ts'

export interface GraphqlError {
  message: string
  locations?: readonly { line: number; column: number }[]
  path?: readonly (string | number)[]
  extensions?: { code?: string; hint?: string }
}

export interface GraphqlAnswer {
  data?: unknown
  errors?: readonly GraphqlError[]
}

export interface GraphqlCall {
  query: string
  variables: Record<string, unknown>
  operationName: string | null
}

/** The answer of the server, whatever its status. Throws where there is none. */
export async function runOnce(call: GraphqlCall, signal: AbortSignal): Promise<GraphqlAnswer> {
  try {
    const { data } = await client.rest.post<GraphqlAnswer>('/graphql', call, { signal })
    return data ?? {}
  } catch (error) {
    const answer = error instanceof HttpError ? parseAnswer(error.body) : null
    if (answer === null) throw error
    return answer
  }
}

function parseAnswer(text: string): GraphqlAnswer | null {
  try {
    const answer = JSON.parse(text) as GraphqlAnswer
    return Array.isArray(answer.errors) ? answer : null
  } catch {
    return null
  }
}

/** Ends with the stream or with the signal. */
export async function runStream(
  call: GraphqlCall,
  signal: AbortSignal,
  onAnswer: (answer: GraphqlAnswer) => void,
): Promise<void> {
  let reply = await open(call, signal)
  if (reply.status === 401 && bearer() !== null) {
    await renewBearer()
    reply = await open(call, signal)
  }
  if (!reply.headers.get('content-type')?.startsWith('text/event-stream')) {
    const text = await reply.text()
    const answer = parseAnswer(text)
    if (answer === null) throw new HttpError(reply.status, reply.headers, text)
    onAnswer(answer)
    return
  }
  let rest = ''
  for await (const text of textsOf(reply.body!)) {
    const events = (rest + text).replaceAll('\r\n', '\n').split('\n\n')
    rest = events.pop()!
    for (const event of events) {
      const data = /^data: ?(.+)$/m.exec(event)?.[1]
      if (/^event: ?next$/m.test(event) && data !== undefined) onAnswer(JSON.parse(data) as GraphqlAnswer)
      if (/^event: ?complete$/m.test(event)) return
    }
  }
}

async function open(call: GraphqlCall, signal: AbortSignal): Promise<Response> {
  const token = bearer()
  const url = `${base}/graphql`
  const init = {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'x-client-name': 'twain-console',
      ...(token !== null && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(call),
    signal,
  }
  refuseWrites(url, init)
  return fetch(url, init)
}

async function* textsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield value
  }
}
