// One cell of the rules suite: a request of one viewer through one API, and the expected answer of the reference rules.

import type { ApiClient } from '../../harness/open-apis.ts'

export interface Cell {
  name: string
  /** Returns what is compared: status or code, and exactly what the viewer sees. */
  ask(client: ApiClient): Promise<unknown>
  expected: unknown
}

/** GraphQL's errors as `CODE at.path`, sorted. */
export interface GraphqlOutcome {
  data: unknown
  errors: string[]
}

/** The same text for the same value, whatever the order of its members. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

export async function askRest(client: ApiClient, path: string, headers?: Record<string, string>): Promise<unknown> {
  const { status, body } = await client.rest('GET', path, undefined, headers)
  return status === 200 ? body : status
}

/** A document that is refused completely gives its codes alone. */
export async function askGraphql(client: ApiClient, query: string, variables?: unknown): Promise<unknown> {
  const { data, errors } = await client.graphql(query, variables)
  if (data === null) return errors.map(({ extensions }) => extensions?.code)
  const codes = errors.map(({ path, extensions }) => `${extensions?.code} ${path?.join('.')}`)
  return { data, errors: codes.toSorted() } satisfies GraphqlOutcome
}

/** A field that the viewer can never read is unknown, as any other. */
export function refusedWhole(seen: unknown): unknown {
  return Array.isArray(seen) && seen.every((code) => unknownCodes.includes(String(code))) ? 'refused' : seen
}

const unknownCodes = ['VALIDATION_FAILED', 'GRAPHQL_VALIDATION_FAILED', 'BAD_REQUEST']
