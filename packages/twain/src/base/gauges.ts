// What a room tells the operator in numbers, whenever it is asked: rooms know their numbers, and one place writes them down.

import type { Cache } from './cache.ts'

export interface Gauge {
  name: string
  /** Which one of several that have the name. */
  of?: string
  kind: 'gauge' | 'counter'
  about: string
  value(): number
}

/** The numbers of a cache. */
export function cacheGauges(
  of: string,
  ...caches: Pick<Cache<unknown, unknown>, 'size' | 'hits' | 'misses'>[]
): Gauge[] {
  const sum = (member: 'size' | 'hits' | 'misses') => () => caches.reduce((all, cache) => all + cache[member], 0)
  return [
    { name: 'cache_entries', of, kind: 'gauge', about: 'What is kept of what was understood.', value: sum('size') },
    { name: 'cache_hits_total', of, kind: 'counter', about: 'Times that it was there.', value: sum('hits') },
    { name: 'cache_misses_total', of, kind: 'counter', about: 'Times that it was not.', value: sum('misses') },
  ]
}
