// A subscription in a component: its last event. `onData` receives all events in order; React may render several at once.

import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import type { Client } from '../client/client.ts'
import { operationOf, type Source } from '../document/operation.ts'
import type { SubscribeOptions } from '../events/subscriptions.ts'
import { useClient } from './provider.ts'

export interface SubscriptionState<Data> {
  readonly data: Data | undefined
  readonly error: Error | undefined
  /** No event and no error yet. */
  readonly loading: boolean
}

export interface SubscriptionHookOptions<Data> extends Pick<SubscribeOptions, 'fetchPolicy'> {
  onData?: (data: Data) => void
  skip?: boolean
}

export function useSubscription<Data, Variables extends object = Record<string, unknown>>(
  document: Source<Data, Variables>,
  variables: Variables,
  options: SubscriptionHookOptions<NoInfer<Data>> = {},
): SubscriptionState<Data> {
  const client = useClient()
  const { skip = false, fetchPolicy } = options
  const { key } = operationOf(document).bind(variables)
  const onData = useRef(options.onData)
  useEffect(() => {
    onData.current = options.onData
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is the document and the variables
  const events = useMemo(
    () =>
      new Events<Data>(client, document as Source<Data, object>, variables, fetchPolicy, (data) =>
        onData.current?.(data),
      ),
    [client, key, fetchPolicy],
  )
  const state = useSyncExternalStore(skip ? never : events.subscribe, events.current, events.current)
  return skip ? skipped : state
}

const never = () => () => {}
const skipped: SubscriptionState<never> = { data: undefined, error: undefined, loading: false }

class Events<Data> {
  readonly #start: (next: (state: Partial<SubscriptionState<Data>>) => void) => () => void
  #state: SubscriptionState<Data> = { data: undefined, error: undefined, loading: true }
  #end: (() => void) | null = null
  #listener: (() => void) | null = null

  constructor(
    client: Client,
    document: Source<Data, object>,
    variables: object,
    fetchPolicy: 'no-cache' | undefined,
    onData: (data: Data) => void,
  ) {
    this.#start = (notify) =>
      client.subscribe<Data, object>(
        document,
        variables,
        {
          next({ data, error }) {
            notify({ data, error, loading: false })
            if (data !== undefined) onData(data)
          },
          error: (error) => notify({ error, loading: false }),
          complete: () => notify({ loading: false }),
        },
        { ...(fetchPolicy && { fetchPolicy }) },
      )
  }

  readonly current = (): SubscriptionState<Data> => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listener = listener
    this.#end ??= this.#start((state) => {
      this.#state = { ...this.#state, ...state }
      this.#listener?.()
    })
    return () => {
      this.#listener = null
      // Strict mode unmounts and mounts again in one turn, in which no event may be lost.
      queueMicrotask(() => {
        if (this.#listener !== null) return
        this.#end?.()
        this.#end = null
      })
    }
  }
}
