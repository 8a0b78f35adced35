// A metric that a module reports: `http/metrics.ts` reads its value when `/metrics` is scraped.

import type { Cache } from './cache.ts'

export interface Gauge {
  name: string
  /** The label `cache`, where several caches report the same metric. */
  cache?: string
  kind: 'gauge' | 'counter'
  about: string
  value(): number
}

/** The metrics of one or several caches that count as one. */
export function cacheGauges(
  cache: string,
  ...caches: Pick<Cache<unknown, unknown>, 'size' | 'hits' | 'misses'>[]
): Gauge[] {
  const sum = (member: 'size' | 'hits' | 'misses') => () => caches.reduce((all, cache) => all + cache[member], 0)
  return [
    { name: 'cache_entries', cache, kind: 'gauge', about: 'Entries in the cache.', value: sum('size') },
    { name: 'cache_hits_total', cache, kind: 'counter', about: 'Lookups that found an entry.', value: sum('hits') },
    { name: 'cache_misses_total', cache, kind: 'counter', about: 'Lookups that found none.', value: sum('misses') },
  ]
}
