// A subscription in a component: its last event. All events, in order, are told to `onData`; React may show several at once.

import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import type { Client } from '../client/client.ts'
import { operationOf, type Source } from '../document/operation.ts'
import type { SubscribeOptions } from '../events/subscriptions.ts'
import { useClient } from './provider.ts'

export interface SubscriptionState<Data> {
  readonly data: Data | undefined
  readonly error: Error | undefined
  /** There was no event yet, and none is refused. */
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
  const { key } = operationOf(document).ask(variables)
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
  readonly #begin: (next: (state: Partial<SubscriptionState<Data>>) => void) => () => void
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
    this.#begin = (tell) =>
      client.subscribe<Data, object>(
        document,
        variables,
        {
          next({ data, error }) {
            tell({ data, error, loading: false })
            if (data !== undefined) onData(data)
          },
          error: (error) => tell({ error, loading: false }),
          complete: () => tell({ loading: false }),
        },
        { ...(fetchPolicy && { fetchPolicy }) },
      )
  }

  readonly current = (): SubscriptionState<Data> => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listener = listener
    this.#end ??= this.#begin((state) => {
      this.#state = { ...this.#state, ...state }
      this.#listener?.()
    })
    return () => {
      this.#listener = null
      // Strict mode leaves and comes back in one turn, in which no event may be lost.
      queueMicrotask(() => {
        if (this.#listener !== null) return
        this.#end?.()
        this.#end = null
      })
    }
  }
}
