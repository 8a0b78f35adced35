// Our client. Responses are written and read as the client's engine does it; watches and changes use the public API.

import { createClient } from '@twain/client'
import { Cache } from '../../packages/client/src/cache/cache.ts'
import { operationOf } from '../../packages/client/src/document/operation.ts'
import type { Peer, Question } from './peer.ts'

export function openTwain(): Peer {
  const cache = new Cache()
  const client = createClient({ url: 'http://127.0.0.1/graphql', fetch: () => Promise.reject(new Error('no network')) })
  const ask = ({ text, variables }: Question) => operationOf(text).bind(variables)
  return {
    answer(question, data) {
      const asked = ask(question)
      cache.write(asked, data)
      return cache.read(asked)
    },
    read: (question) => cache.read(ask(question)),
    watch({ text, variables = {} }, tell) {
      client.watch(text, variables, { fetchPolicy: 'cache-only' }).subscribe(({ data }) => tell(data))
    },
    change: ({ text, variables = {} }, data) => client.cache.write(text, variables, data),
  }
}
