// Content negotiation (RFC 9110, 12.5.1; docs/rest.md, R50): what is represented is JSON, and a client that takes none of
// it hears so before anything is done.

import { Fault, type HttpRequest } from '#base'

export function acceptJson({ headers: { accept } }: HttpRequest): void {
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return
  if (qualityOf('application', 'json', accept) > 0) return
  throw new Fault('NOT_ACCEPTABLE', `None of "${accept}" can be given.`, { hint: 'There is application/json.' })
}

/** The quality that the most specific matching range gives the type; 0 when none does. */
function qualityOf(type: string, subtype: string, accept: string): number {
  let best = { specific: -1, quality: 0 }
  for (const range of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim())
    const specific = name === `${type}/${subtype}` ? 2 : name === `${type}/*` ? 1 : name === '*/*' ? 0 : -1
    if (specific > best.specific) best = { specific, quality: qualityAmong(parameters) }
  }
  return best.quality
}

function qualityAmong(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  if (weight === undefined) return 1
  const quality = Number(weight.slice(2))
  return quality >= 0 && quality <= 1 ? quality : 1
}
