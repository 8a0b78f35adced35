// Which of the two media types of GraphQL over HTTP an answer has, by the `Accept` field, or whether it is an event stream.

import { ApiError, chooseType } from '#base'

export type MediaType = 'application/json' | 'application/graphql-response+json'

const offeredTypes = ['application/json', 'application/graphql-response+json', 'text/event-stream'] as const

/** `application/json` where nothing speaks for the other. */
export function chooseMediaType(accept: string | undefined): MediaType | 'text/event-stream' {
  const chosen = chooseType(accept, offeredTypes)
  if (chosen !== null) return chosen
  throw new ApiError('NOT_ACCEPTABLE', `Answers are ${offeredTypes.join(' or ')}; the request accepts none of them.`)
}
