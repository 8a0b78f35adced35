// Content negotiation (docs/rest.md, R50): which representation a client is given. One that takes nothing of what there is
// hears so before anything is done.

import { chooseType, Fault, type HttpRequest } from '#base'

/** Of one row, of a page, and of what a write answers. */
export type Format = 'json' | 'xml'
/** Of all rows of a collection, one after another. */
export type StreamFormat = 'ndjson' | 'csv'

const rows = { 'application/json': 'json', 'application/xml': 'xml', 'text/xml': 'xml' } as const
const collections = { ...rows, 'application/x-ndjson': 'ndjson', 'text/csv': 'csv' } as const
const problems = { ...rows, 'application/problem+json': 'json', 'application/problem+xml': 'xml' } as const
const json = { 'application/json': 'json' } as const

export function acceptRow(request: HttpRequest): Format {
  return choose(request, rows)
}

export function acceptCollection(request: HttpRequest): Format | StreamFormat {
  return choose(request, collections)
}

/** Where there is JSON only. */
export function acceptJson(request: HttpRequest): void {
  choose(request, json)
}

/** A failure is told in any case; as XML to whom asks for that. */
export function acceptProblem({ headers: { accept } }: HttpRequest): Format {
  const type = chooseType(accept, keysOf(problems))
  return type === null ? 'json' : problems[type]
}

function choose<Types extends Record<string, string>>(request: HttpRequest, types: Types): Types[keyof Types] {
  const { accept } = request.headers
  const offers = keysOf(types)
  const type = chooseType(accept, offers)
  if (type !== null) return types[type]!
  throw new Fault('NOT_ACCEPTABLE', `None of "${accept}" can be given.`, { hint: `There is ${offers.join(', ')}.` })
}

const known = new WeakMap<object, readonly string[]>()

/** Made once for each table: they are asked for with every request. */
function keysOf<Types extends Record<string, string>>(types: Types): readonly (keyof Types & string)[] {
  const keys = known.get(types) ?? Object.keys(types)
  known.set(types, keys)
  return keys
}
