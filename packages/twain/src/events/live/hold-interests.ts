// Counts the plans of open streams in the memory of the caches, and refuses a stream if they take too much.

import { ApiError, type CacheBudget, type MemoryHolder } from '#base'
import { clientKey, isOperator, networkOf } from '#base/http'
import type { EventReader } from './event-reader.ts'

type HoldingReader = Pick<EventReader, 'interests' | 'viewer' | 'address'>

/** Returns the function that ends the holding. `end`: another client needs the memory. */
export function holdInterests(
  { interests, viewer, address }: HoldingReader,
  caches: CacheBudget,
  end: (error: ApiError) => void,
): () => void {
  const holder: MemoryHolder = {
    client: clientKey(viewer, address),
    network: networkOf(address),
    isOperator: isOperator(viewer),
    end: () => end(tooManySubscriptions()),
  }
  const held: object[] = []
  const release = () => {
    for (const shape of held) caches.release(shape, holder)
  }
  for (const { memory } of interests.values()) {
    if (memory === null) continue
    if (!caches.hold(memory.shape, memory.bytes, holder, memory.isBounded)) {
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
