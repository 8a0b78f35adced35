// Counts the plans of open streams in the memory of the caches, and refuses a stream if they take too much.

import { ApiError, type CacheBudget } from '#base'
import type { Interests } from '../feed/interest.ts'

/** Returns the function that ends the holding. */
export function holdInterests(interests: Interests, caches: CacheBudget): () => void {
  const held: object[] = []
  const release = () => {
    for (const shape of held) caches.release(shape)
  }
  for (const { memory } of interests.values()) {
    if (!caches.hold(memory.shape, memory.bytes, memory.client)) {
      release()
      throw tooManySubscriptions()
    }
    held.push(memory.shape)
  }
  return release
}

function tooManySubscriptions(): ApiError {
  return new ApiError('UNAVAILABLE', 'Too many large subscriptions are open.', {
    hint: 'Close some, or select fewer fields. Subscriptions of the same document share their memory. The setting limits.cacheBytes sets the limit.',
    headers: { 'retry-after': '5' },
  })
}
