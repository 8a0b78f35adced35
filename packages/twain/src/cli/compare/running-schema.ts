// Loads the schema of a running server over HTTP: its schema file if the token allows it, else its introspection result.

import { buildClientSchema, type GraphQLSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql'
import { timeoutSignal } from '#base/time'
import { type LastSchema, parseLastSchema } from '#store'

/** The timeout of each HTTP request. */
const requestTimeoutMs = 15_000

export type RunningSchema = { kind: 'file'; served: LastSchema } | { kind: 'schema'; schema: GraphQLSchema }

/** `token` needs role admin. */
export async function runningSchema(address: string, token: string | undefined): Promise<RunningSchema> {
  const base = address.replace(/\/+$/, '')
  const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const reply = await request(`${base}/docs/contract`, { headers: { accept: 'application/json', ...authorization } })
  if (reply.status === 200) {
    const served = parseLastSchema(await reply.text())
    if (served !== null) return { kind: 'file', served }
  }
  if (token !== undefined && (reply.status === 401 || reply.status === 403)) {
    throw new NotComparable(`${base} rejects the token: it must be valid there and have role admin.`)
  }
  return { kind: 'schema', schema: await introspect(base) }
}

async function introspect(base: string): Promise<GraphQLSchema> {
  const query = getIntrospectionQuery({ inputValueDeprecation: true, directiveIsRepeatable: true, oneOf: true })
  const reply = await request(`${base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query }),
  })
  const answer = (await reply.json().catch(() => null)) as { data?: IntrospectionQuery; errors?: unknown } | null
  if (answer?.data?.__schema === undefined || answer.errors !== undefined) {
    throw new NotComparable(
      `${base} does not allow introspection at /graphql (status ${reply.status}). Use --token with a token of role admin.`,
    )
  }
  return buildClientSchema(answer.data)
}

async function request(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, { ...init, redirect: 'follow', signal: timeoutSignal(requestTimeoutMs) })
  } catch (error) {
    const { cause, message } = error as Error
    throw new NotComparable(`${address} does not answer: ${cause instanceof Error ? cause.message : message}`)
  }
}

/** The schema to compare with can't be read. The message is for the user. */
export class NotComparable extends Error {}
