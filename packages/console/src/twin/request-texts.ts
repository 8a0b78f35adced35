// A request of the page as a person would send it: by curl, over HTTP, and with `@twain/client`.

import { acting, bearer } from '../api/acting.ts'
import type { SentRequest } from '../api/requests.ts'
import { texts } from '../texts.ts'

/** Headers that the browser and the client add by themselves. */
const ownHeaders = ['accept', 'x-client-name', 'if-none-match', 'idempotency-key']

export function curlText({ method, target, headers, body }: SentRequest, root: string): string {
  const parts = [
    `curl ${method === 'GET' ? '-g' : `-g -X ${method}`} ${quote(`${root}${target}`)}`,
    ...(bearer() === null ? [] : ['-H "authorization: Bearer $TOKEN"']),
    ...Object.entries(shownHeaders(headers)).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`-d ${quote(body)}`]),
  ]
  return [...tokenNote(), parts.join(' \\\n  ')].join('\n')
}

export function httpText({ method, target, headers, body }: SentRequest): string {
  const authorization = bearer() === null ? {} : { authorization: 'Bearer …' }
  const lines = Object.entries({ ...shownHeaders(headers), ...authorization }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  return [`${method} ${target}`, ...lines, ...(body === null ? [] : ['', indent(body)])].join('\n')
}

export function clientText({ method, target, headers, body }: SentRequest): string {
  if (target === '/graphql' && body !== null) return graphqlText(JSON.parse(body))
  const { 'content-type': _, ...options } = shownHeaders(headers)
  const args = [
    `'${target.replaceAll("'", "\\'")}'`,
    ...(body === null ? [] : [indent(body)]),
    ...(Object.keys(options).length === 0 ? [] : [JSON.stringify({ headers: options }, null, 2)]),
  ]
  return `const { data } = await client.rest.${method.toLowerCase()}(${args.join(', ')})`
}

function graphqlText({ query, variables = {} }: { query: string; variables?: object }): string {
  const args = `\`${query.replaceAll(/[`\\$]/g, '\\$&')}\`, ${JSON.stringify(variables, null, 2)}`
  const [kind] = /\b(mutation|subscription)\b/.exec(query) ?? []
  if (kind === 'subscription') return `client.subscribe(${args}, ({ data }) => console.log(data))`
  return `const { data } = await client.${kind === undefined ? 'query' : 'mutate'}(${args})`
}

/** Where the token of a session that acts comes from. */
function tokenNote(): string[] {
  if (acting?.session == null) return []
  const body = { as: acting.as, ...(acting.reason !== null && { reason: acting.reason }) }
  return [`# ${texts.tokenOf(acting.name)} POST /tokens ${JSON.stringify(body)}`]
}

function shownHeaders(headers: SentRequest['headers']): Record<string, string> {
  const isOwn = (name: string, value: string) => ownHeaders.includes(name) && value !== 'text/csv'
  return Object.fromEntries(Object.entries(headers).filter(([name, value]) => !isOwn(name, value)))
}

function indent(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}

/** For a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
