// A query in a component. What is shown is a watch's state, read by `useSyncExternalStore`: so all components of one render show
// the same moment of the cache, also where React renders in pieces.

import { useCallback, useMemo, useSyncExternalStore } from 'react'
import type { Client } from '../client/client.ts'
import type { Policies } from '../client/options.ts'
import type { Watch, WatchState } from '../client/watch.ts'
import { operationOf, type Source } from '../document/operation.ts'
import { holdWatch, keyOf } from './held-watches.ts'
import { useClient } from './provider.ts'

export interface QueryHookOptions extends Policies {
  /** Nothing is asked. */
  skip?: boolean
  /** Followed on the server too (`client.live`). */
  live?: boolean
}

export interface QueryHookState<Data, Variables extends object> extends WatchState<Data> {
  refetch: Watch<Data, Variables>['refetch']
  fetchMore: Watch<Data, Variables>['fetchMore']
}

/** Variables may be left out where none is required. */
type Rest<Variables, Options> =
  Record<never, never> extends Variables
    ? [variables?: Variables, options?: Options]
    : [variables: Variables, options?: Options]

const skipped: WatchState<never> = { data: undefined, error: undefined, loading: false }
const never = () => () => {}

/** What is known, `loading` while the server is asked. */
export function useQuery<Data, Variables extends object = Record<string, unknown>>(
  document: Source<Data, Variables>,
  ...[variables, options = {}]: Rest<Variables, QueryHookOptions>
): QueryHookState<Data, Variables> {
  const client = useClient()
  const { skip = false } = options
  const key = keyOf(questionOf(document, variables), options)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is the document, the variables and the policies
  const watch = useMemo(() => open(client, document, variables, options), [client, key, options.live])
  const subscribe = useCallback(
    (listener: () => void) => {
      const leave = watch.subscribe(listener)
      // Strict mode leaves and comes back in one turn, which must not ask the server twice.
      return () => queueMicrotask(leave)
    },
    [watch],
  )
  const current = () => (skip ? skipped : watch.current)
  const state = useSyncExternalStore(skip ? never : subscribe, current, current)
  return useHookState(state as WatchState<Data>, watch)
}

/** The same in Suspense: there is always data. Until it is there the component waits, and what fails is thrown. */
export function useSuspenseQuery<Data, Variables extends object = Record<string, unknown>>(
  document: Source<Data, Variables>,
  ...[variables, options = {}]: Rest<Variables, Omit<QueryHookOptions, 'skip'>>
): QueryHookState<Data, Variables> & { data: Data } {
  const client = useClient()
  const key = `${options.live === true} ${keyOf(questionOf(document, variables), options)}`
  const held = holdWatch(client, key, () => open(client, document, variables, options) as never)
  const { watch } = held
  const subscribe = useCallback((listener: () => void) => held.mount(listener), [held])
  const current = () => watch.current
  const state = useSyncExternalStore(subscribe, current, current) as WatchState<Data>
  const result = useHookState(state, watch as unknown as Watch<Data, Variables>)
  if (state.data !== undefined) return result as typeof result & { data: Data }
  if (state.error !== undefined) {
    held.failed()
    throw state.error
  }
  if (!state.loading) throw new Error('There is nothing to show: cache-only has no data, or errors are ignored.')
  throw held.ready()
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
  const ask = (live ? client.live : client.watch) as typeof client.watch<Data, object>
  return ask(document as Source<Data, object>, variables ?? {}, policies) as unknown as Watch<Data, Variables>
}

const questionOf = (document: Source<unknown, never>, variables: object | undefined): string =>
  operationOf(document).ask(variables).key
