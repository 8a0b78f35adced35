// Content negotiation (RFC 9110, 12.5.1), for both faces: which of the representations that there are a client is given.

/** The offer with the highest quality; of equals the one that the client names first, and behind one wildcard the first
 *  offer. Null when it takes none. An `Accept` that says nothing takes anything. */
export function chooseType<Type extends string>(accept: string | undefined, offers: readonly Type[]): Type | null {
  const [first] = offers
  if (accept === undefined || accept === '*/*' || accept === first || accept.trim() === '') return first ?? null
  const ranges = accept.toLowerCase().split(',').map(readRange)
  const taken = offers.map((type) => ({ type, ...weigh(type, ranges) })).filter(({ quality }) => quality > 0)
  // A browser asks for HTML, and names XML by an old habit: it is shown what everyone is shown.
  if (ranges.some(({ type }) => type === 'text/html')) return taken[0]?.type ?? null
  taken.sort((a, b) => b.quality - a.quality || a.place - b.place)
  return taken[0]?.type ?? null
}

interface MediaRange {
  type: string
  quality: number
}

/** Of the parameters only the weight is looked at: no type that we give has any that a client could choose by. */
function readRange(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  const quality = weight === undefined ? 1 : Number(weight.slice(2))
  return { type, quality: quality >= 0 && quality <= 1 ? quality : 1 } // one that is no weight says nothing
}

/** The most specific range that fits counts. */
function weigh(type: string, ranges: readonly MediaRange[]): { quality: number; place: number } {
  for (const candidate of [type, `${type.slice(0, type.indexOf('/'))}/*`, '*/*']) {
    const place = ranges.findIndex((range) => range.type === candidate)
    if (place >= 0) return { quality: ranges[place]!.quality, place }
  }
  return { quality: 0, place: ranges.length }
}
