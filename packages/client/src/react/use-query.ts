// A query in a component. `useSyncExternalStore` reads the state of a watch. So all components of one render show the same
// state of the cache, also with concurrent rendering.

import { useCallback, useMemo, useSyncExternalStore } from 'react'
import type { Client } from '../client/client.ts'
import type { Policies } from '../client/options.ts'
import type { Watch, WatchState } from '../client/watch.ts'
import { operationOf, type Source } from '../document/operation.ts'
import { useClient } from './provider.ts'
import { keyOf, retainWatch } from './retained-watches.ts'

export interface QueryHookOptions extends Policies {
  /** Sends no request. */
  skip?: boolean
  /** Refetches after changes on the server (`client.live`). */
  live?: boolean
}

export interface QueryHookState<Data, Variables extends object> extends WatchState<Data> {
  refetch: Watch<Data, Variables>['refetch']
  fetchMore: Watch<Data, Variables>['fetchMore']
}

/** Variables are optional where none is required. */
type OptionalVariables<Variables, Options> =
  Record<never, never> extends Variables
    ? [variables?: Variables, options?: Options]
    : [variables: Variables, options?: Options]

const skipped: WatchState<never> = { data: undefined, error: undefined, loading: false }
const never = () => () => {}

/** Returns the known data, with `loading` while a request is in flight. */
export function useQuery<Data, Variables extends object = Record<string, unknown>>(
  document: Source<Data, Variables>,
  ...[variables, options = {}]: OptionalVariables<Variables, QueryHookOptions>
): QueryHookState<Data, Variables> {
  const client = useClient()
  const { skip = false } = options
  const key = keyOf(operationKeyOf(document, variables), options)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is the document, the variables and the policies
  const watch = useMemo(() => open(client, document, variables, options), [client, key, options.live])
  const subscribe = useCallback(
    (listener: () => void) => {
      const leave = watch.subscribe(listener)
      // Strict mode unmounts and mounts again in one turn, which must not send a second request.
      return () => queueMicrotask(leave)
    },
    [watch],
  )
  const current = () => (skip ? skipped : watch.current)
  const state = useSyncExternalStore(skip ? never : subscribe, current, current)
  return useHookState(state as WatchState<Data>, watch)
}

/** The same with Suspense: there is always data. The component suspends until it arrives, and errors are thrown. */
export function useSuspenseQuery<Data, Variables extends object = Record<string, unknown>>(
  document: Source<Data, Variables>,
  ...[variables, options = {}]: OptionalVariables<Variables, Omit<QueryHookOptions, 'skip'>>
): QueryHookState<Data, Variables> & { data: Data } {
  const client = useClient()
  const key = `${options.live === true} ${keyOf(operationKeyOf(document, variables), options)}`
  const retained = retainWatch(client, key, () => open(client, document, variables, options) as never)
  const { watch } = retained
  const subscribe = useCallback((listener: () => void) => retained.mount(listener), [retained])
  const current = () => watch.current
  const state = useSyncExternalStore(subscribe, current, current) as WatchState<Data>
  const result = useHookState(state, watch as unknown as Watch<Data, Variables>)
  if (state.data !== undefined) return result as typeof result & { data: Data }
  if (state.error !== undefined) {
    retained.failed()
    throw state.error
  }
  if (!state.loading) throw new Error('There is nothing to show: cache-only has no data, or errors are ignored.')
  throw retained.ready()
}

function useHookState<Data, Variables extends object>(
  state: WatchState<Data>,
  watch: Watch<Data, Variables>,
): QueryHookState<Data, Variables> {
  return useMemo(
    () => ({
      ...state,
      refetch: (variables) => watch.refetch(variables),
      fetchMore: (variables) => watch.fetchMore(variables),
    }),
    [state, watch],
  )
}

function open<Data, Variables extends object>(
  client: Client,
  document: Source<Data, Variables>,
  variables: Variables | undefined,
  { fetchPolicy, errorPolicy, live }: QueryHookOptions,
): Watch<Data, Variables> {
  const policies = { ...(fetchPolicy && { fetchPolicy }), ...(errorPolicy && { errorPolicy }) }
  const watch = (live ? client.live : client.watch) as typeof client.watch<Data, object>
  return watch(document as Source<Data, object>, variables ?? {}, policies) as unknown as Watch<Data, Variables>
}

const operationKeyOf = (document: Source<unknown, never>, variables: object | undefined): string =>
  operationOf(document).bind(variables).key
