// Apollo Client's InMemoryCache alone, which is less work than a query of the whole client.

import { gql, InMemoryCache } from '@apollo/client'
import type { Peer, PeerQuery } from './peer.ts'

export function openApollo(): Peer {
  const cache = new InMemoryCache()
  const documents = new Map<string, ReturnType<typeof gql>>()
  const of = ({ text, variables = {} }: PeerQuery) => {
    const query = documents.get(text) ?? cache.transformDocument(gql(text))
    documents.set(text, query)
    return { query, variables }
  }
  return {
    answer(query, data) {
      cache.writeQuery({ ...of(query), data })
      return cache.readQuery(of(query))
    },
    read: (query) => cache.readQuery(of(query)),
    watch(query, listener) {
      cache.watch({ ...of(query), optimistic: true, immediate: true, callback: ({ result }) => listener(result) })
    },
    change(query, data) {
      cache.writeQuery({ ...of(query), data })
    },
  }
}
