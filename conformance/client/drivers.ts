// Our client and Apollo Client 4 behind one interface, so that a situation runs through both and the results can be compared.

import {
  ApolloClient,
  CombinedGraphQLErrors,
  gql,
  HttpLink,
  InMemoryCache,
  ServerError,
  ServerParseError,
} from '@apollo/client'
import { createClient, type ErrorPolicy, type FetchPolicy, GraphQLErrors, HttpError } from '@twain/client'
import type { Library } from './open-library.ts'

export interface Policy {
  fetchPolicy?: FetchPolicy
  errorPolicy?: ErrorPolicy
}

/** What a caller gets: data, an error, or both. */
export interface SeenState {
  data?: unknown
  error?: string
  rejected?: string
}

export interface State {
  data: unknown
  error?: string
  loading: boolean
}

export interface Watched {
  /** Every state that a watcher got, in order. */
  states: State[]
  refetch(): Promise<SeenState>
  setVariables(variables: Record<string, unknown>): void
  stop(): void
}

export interface Driver {
  query(text: string, variables?: Record<string, unknown>, policy?: Policy): Promise<SeenState>
  mutate(text: string, variables: Record<string, unknown>, optimistic?: Record<string, unknown>): Promise<SeenState>
  watch(text: string, variables?: Record<string, unknown>, policy?: Policy): Watched
  evict(type: string, id: string): void
}

export function ourDriver({ url, fetch }: Library): Driver {
  const client = createClient({ url, fetch, retry: { attempts: 1 }, onError() {} })
  return {
    query: (text, variables = {}, policy = {}) => seen(client.query(text, variables, policy), kindOfOurs),
    mutate: (text, variables, optimistic) =>
      seen(client.mutate(text, variables, optimistic === undefined ? {} : { optimistic }), kindOfOurs),
    watch(text, variables = {}, policy = {}) {
      const states: State[] = []
      const watch = client.watch(text, variables, policy)
      const stop = watch.subscribe(({ data, error, loading }) => states.push(stateOf(data, error, loading, kindOfOurs)))
      return {
        states,
        stop,
        refetch: () => seen(watch.refetch(), kindOfOurs),
        setVariables: (next) => watch.setVariables(next),
      }
    },
    evict: (type, id) => client.cache.evict(type, id),
  }
}

export function apolloDriver({ url, fetch }: Library): Driver {
  const link = new HttpLink({ uri: url, fetch: fetch as typeof globalThis.fetch })
  const cache = new InMemoryCache()
  const client = new ApolloClient({ link, cache })
  return {
    query: (text, variables = {}, policy = {}) =>
      seen(
        (async () => client.query({ query: gql(text), variables, ...policy } as Parameters<typeof client.query>[0]))(),
        kindOfApollos,
      ),
    mutate: (text, variables, optimisticResponse) =>
      seen(
        client.mutate({ mutation: gql(text), variables, ...(optimisticResponse && { optimisticResponse }) }),
        kindOfApollos,
      ),
    watch(text, variables = {}, policy = {}) {
      const states: State[] = []
      const watch = client.watchQuery({ query: gql(text), variables, ...policy })
      const subscription = watch.subscribe(({ data, error, loading }) => {
        states.push(stateOf(data, error, loading, kindOfApollos))
      })
      return {
        states,
        refetch: () => seen(watch.refetch(), kindOfApollos),
        setVariables: (next) => void watch.setVariables(next),
        stop: () => subscription.unsubscribe(),
      }
    },
    evict: (type, id) => void cache.evict({ id: `${type}:${id}` }),
  }
}

type Kind = (error: unknown) => string

async function seen(promise: Promise<{ data?: unknown; error?: unknown }>, kind: Kind): Promise<SeenState> {
  try {
    const { data, error } = await promise
    return { data: data ?? undefined, ...(error !== undefined && { error: kind(error) }) }
  } catch (error) {
    return { rejected: kind(error) }
  }
}

const stateOf = (data: unknown, error: unknown, loading: boolean, kind: Kind): State => ({
  data: data ?? undefined,
  ...(error !== undefined && { error: kind(error) }),
  loading,
})

function kindOfOurs(error: unknown): string {
  if (error instanceof GraphQLErrors) return 'graphql'
  return error instanceof HttpError ? 'http' : 'network'
}

function kindOfApollos(error: unknown): string {
  if (CombinedGraphQLErrors.is(error)) return 'graphql'
  if (ServerError.is(error) || ServerParseError.is(error)) return 'http'
  return (error as Error).name === 'Invariant Violation' ? 'not allowed' : 'network'
}
