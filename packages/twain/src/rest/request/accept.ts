// Content negotiation (docs/reference/rest.md, R50): which representation a client is given. One that takes nothing of what there is
// hears so before anything is done.

import { ApiError, chooseType, type HttpRequest } from '#base'

/** Of one row, of a page, and of what a write answers. */
export type RowFormat = 'json' | 'xml' | 'textXml'
/** Of all rows of a collection, one after another. */
export type StreamFormat = 'ndjson' | 'csv'

interface OfferedFormats<F extends string> {
  types: readonly string[]
  formats: Readonly<Record<string, F>>
}

/** The lists are made once: they are asked for with every request. */
function offered<F extends string>(formats: Readonly<Record<string, F>>): OfferedFormats<F> {
  return { types: Object.keys(formats), formats }
}

const rowTypes = { 'application/json': 'json', 'application/xml': 'xml', 'text/xml': 'textXml' } as const
const json = offered({ 'application/json': 'json' })
const rows = offered<RowFormat>(rowTypes)
const collections = offered<RowFormat | StreamFormat>({
  ...rowTypes,
  'application/x-ndjson': 'ndjson',
  'text/csv': 'csv',
})
const feed = offered<'json' | 'stream'>({ 'application/json': 'json', 'text/event-stream': 'stream' })
const problems = offered<RowFormat>({
  ...rowTypes,
  'application/problem+json': 'json',
  'application/problem+xml': 'xml',
})

export function acceptRow(request: HttpRequest): RowFormat {
  return choose(request, rows)
}

export function acceptCollection(request: HttpRequest): RowFormat | StreamFormat {
  return choose(request, collections)
}

/** Of `/changes`: a page, or a stream that stays open. */
export function acceptFeed(request: HttpRequest): 'json' | 'stream' {
  return choose(request, feed)
}

/** Where there is JSON only. */
export function acceptJson(request: HttpRequest): void {
  choose(request, json)
}

/** A failure is told in any case; as XML to whom asks for that. */
export function acceptProblem({ headers: { accept } }: HttpRequest): RowFormat {
  const type = chooseType(accept, problems.types)
  return type === null ? 'json' : problems.formats[type]!
}

function choose<F extends string>({ headers: { accept } }: HttpRequest, { types, formats }: OfferedFormats<F>): F {
  const type = chooseType(accept, types)
  if (type !== null) return formats[type]!
  throw new ApiError('NOT_ACCEPTABLE', `None of "${accept}" can be given.`, { hint: `There is ${types.join(', ')}.` })
}
