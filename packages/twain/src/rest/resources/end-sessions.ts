// `DELETE /tokens` (docs/reference/rest.md, R260–R262): ends many sessions at once. This file translates to and from HTTP; the
// module auth decides.

import type { Tokens } from '#auth'
import { type Problem, validationError } from '#base'
import type { HttpReply, HttpRequest, Viewer } from '#base/http'
import { representBulk } from '../represent/represent.ts'
import { acceptJson } from '../request/accept.ts'
import { parseQuery } from '../request/query-string.ts'

export async function endSessions(request: HttpRequest, tokens: Tokens, viewer: Viewer): Promise<HttpReply> {
  acceptJson(request)
  const ids = await tokens.endSessions(readParameters(request), viewer)
  return representBulk({ kind: 'bulk', ids })
}

/** `current` and `all` are booleans. The module auth reports all other texts. */
function readParameters({ query }: HttpRequest): Record<string, unknown> {
  const { parameters, filters, problems } = parseQuery(query)
  const sent = [...Object.entries(parameters), ...filters.map(({ key, text }) => [key, text] as const)]
  const names = sent.map(([name]) => name)
  const repeated = new Set(names.filter((name, at) => names.indexOf(name) !== at))
  const all: Problem[] = [
    ...problems,
    ...[...repeated].map((path): Problem => ({ path, code: 'UNKNOWN', message: 'appears more than once.' })),
  ]
  if (all.length > 0) throw validationError(all)
  return Object.fromEntries(sent.map(([name, text]) => [name, name === 'account' ? text : toBoolean(text)]))
}

function toBoolean(text: string): boolean | string {
  return text === 'true' || text === 'false' ? text === 'true' : text
}
