// Content negotiation (docs/reference/rest.md, R50): chooses the format of the response from `Accept`. A 406 is thrown before
// anything is executed.

import { ApiError } from '#base'
import { chooseType, type HttpRequest } from '#base/http'

/** The format of one row, of a page, and of the response to a write. */
export type RowFormat = 'json' | 'xml' | 'textXml'
/** The format of a stream of all rows of a collection. */
export type StreamFormat = 'ndjson' | 'csv'

interface OfferedFormats<F extends string> {
  types: readonly string[]
  formats: Readonly<Record<string, F>>
}

/** The lists are created at load time because every request reads them. */
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
const lines = offered({ 'application/x-ndjson': 'ndjson' })
const feed = offered<'json' | 'stream'>({ 'application/json': 'json', 'text/event-stream': 'stream' })

export function acceptRow(request: HttpRequest): RowFormat {
  return choose(request, rows)
}

export function acceptCollection(request: HttpRequest): RowFormat | StreamFormat {
  return choose(request, collections)
}

/** For `/changes`: a page, or an event stream. */
export function acceptFeed(request: HttpRequest): 'json' | 'stream' {
  return choose(request, feed)
}

/** For paths that respond in JSON only. */
export function acceptJson(request: HttpRequest): void {
  choose(request, json)
}

/** For a response with a line for each row. */
export function acceptNdjson(request: HttpRequest): void {
  choose(request, lines)
}

function choose<F extends string>({ headers: { accept } }: HttpRequest, { types, formats }: OfferedFormats<F>): F {
  const type = chooseType(accept, types)
  if (type !== null) return formats[type]!
  throw new ApiError('NOT_ACCEPTABLE', `No format of "${accept}" is available here.`, {
    hint: `Available: ${types.join(', ')}.`,
  })
}
