// The clients as an application bundles them: queries with a normalized cache, and no more.

import { bundledSize } from '../../scripts/client-size.ts'
import type { PeerName } from './peers.ts'

const used: Record<PeerName, string> = {
  twain: `export { createClient } from '@twain/client'`,
  apollo: `export { ApolloClient, HttpLink, InMemoryCache, gql } from '@apollo/client'`,
  urql: `export { Client, fetchExchange, gql } from '@urql/core'; export { cacheExchange } from '@urql/exchange-graphcache'`,
}

export async function measureSizes(): Promise<Record<PeerName, number>> {
  const sizes = Object.entries(used).map(async ([name, contents]) => [
    name,
    await bundledSize({ stdin: { contents, resolveDir: import.meta.dirname } }),
  ])
  return Object.fromEntries(await Promise.all(sizes))
}
