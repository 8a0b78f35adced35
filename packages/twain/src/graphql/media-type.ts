// Which of the two media types of GraphQL over HTTP an answer has, by the `Accept` field.

import { Fault } from '#base'

export type MediaType = 'application/json' | 'application/graphql-response+json'

const ours: readonly MediaType[] = ['application/json', 'application/graphql-response+json']

/** The one with the highest quality; of equals the one that is named first, `application/json` where neither is. */
export function chooseMediaType(accept: string | undefined): MediaType {
  if (accept === undefined || accept === '' || accept === '*/*' || accept === 'application/json')
    return 'application/json'
  const ranges = accept.split(',').map(readRange)
  const offers = ours.map((type) => ({ type, ...qualityOf(type, ranges) })).filter(({ quality }) => quality > 0)
  offers.sort((a, b) => b.quality - a.quality || a.place - b.place)
  const [best] = offers
  if (best !== undefined) return best.type
  throw new Fault('NOT_ACCEPTABLE', `Answers are ${ours.join(' or ')}; the request accepts neither.`)
}

interface Range {
  type: string
  quality: number
}

function readRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  const quality = weight === undefined ? 1 : Number(weight.slice(2))
  return { type, quality: Number.isNaN(quality) ? 0 : quality }
}

/** The most specific range that fits counts (RFC 9110, 12.5.1); among wildcards the order of `ours` decides. */
function qualityOf(type: MediaType, ranges: readonly Range[]): { quality: number; place: number } {
  for (const candidate of [type, 'application/*', '*/*']) {
    const place = ranges.findIndex((range) => range.type === candidate)
    if (place >= 0) return { quality: ranges[place]!.quality, place }
  }
  return { quality: 0, place: ranges.length }
}
