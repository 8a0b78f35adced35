// The contract of a server that runs, asked over HTTP: its file, where the token lets us, else what introspection tells.

import { buildClientSchema, type GraphQLSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql'
import { type LastSchema, parseLastSchema } from '#store'
import { NotComparable } from './not-comparable.ts'

/** Milliseconds that each question may take. */
const maxAnswerBytes = 15_000

export type RunningSchema = { kind: 'file'; contract: LastSchema } | { kind: 'schema'; schema: GraphQLSchema }

/** `token` is that of the role admin; undefined: none. */
export async function runningSchema(address: string, token: string | undefined): Promise<RunningSchema> {
  const base = address.replace(/\/+$/, '')
  const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const told = await request(`${base}/docs/contract`, { headers: { accept: 'application/json', ...authorization } })
  if (told.status === 200) {
    const contract = parseLastSchema(await told.text())
    if (contract !== null) return { kind: 'file', contract }
  }
  if (token !== undefined && (told.status === 401 || told.status === 403)) {
    throw new NotComparable(`${base} does not take the token: it must count there, and have the role admin.`)
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
      `${base} tells nothing of its schema at /graphql (status ${reply.status}). Give --token with one of the role admin.`,
    )
  }
  return buildClientSchema(answer.data)
}

async function request(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, { ...init, redirect: 'follow', signal: AbortSignal.timeout(maxAnswerBytes) })
  } catch (error) {
    const { cause, message } = error as Error
    throw new NotComparable(`${address} does not answer: ${cause instanceof Error ? cause.message : message}`)
  }
}
