// Content negotiation (docs/rest.md, R50): a client that takes nothing of what there is hears so before anything is done.

import { chooseType, Fault, type HttpRequest } from '#base'

const offers = ['application/json'] as const

export function acceptJson({ headers: { accept } }: HttpRequest): void {
  if (chooseType(accept, offers) !== null) return
  throw new Fault('NOT_ACCEPTABLE', `None of "${accept}" can be given.`, { hint: `There is ${offers.join(', ')}.` })
}
