// Our client. Responses are written and read as the client's engine does it; watches and changes use the public API.

import { createClient } from '@twain/client'
import { Cache } from '../../packages/client/src/cache/cache.ts'
import { operationOf } from '../../packages/client/src/document/operation.ts'
import type { Peer, PeerQuery } from './peer.ts'

export function openTwain(): Peer {
  const cache = new Cache()
  const client = createClient({ url: 'http://127.0.0.1/graphql', fetch: () => Promise.reject(new Error('no network')) })
  const bind = ({ text, variables }: PeerQuery) => operationOf(text).bind(variables)
  return {
    answer(query, data) {
      const bound = bind(query)
      cache.write(bound, data)
      return cache.read(bound)
    },
    read: (query) => cache.read(bind(query)),
    watch({ text, variables = {} }, listener) {
      client.watch(text, variables, { fetchPolicy: 'cache-only' }).subscribe(({ data }) => listener(data))
    },
    change: ({ text, variables = {} }, data) => client.cache.write(text, variables, data),
  }
}
