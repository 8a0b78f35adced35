// A mutation in a component: a function that sends it, and the state of the last call. The function never rejects, so a
// handler that does not await it leaves no unhandled rejection. The error is in its result and in the state.

import { useCallback, useEffect, useRef, useState } from 'react'
import type { MutationOptions, Result } from '../client/options.ts'
import type { Source } from '../document/operation.ts'
import { useClient } from './provider.ts'

export interface MutationState<Data> {
  readonly data: Data | undefined
  readonly error: Error | undefined
  readonly loading: boolean
}

const idle: MutationState<never> = { data: undefined, error: undefined, loading: false }

export function useMutation<Data, Variables extends object = Record<string, unknown>>(
  document: Source<Data, Variables>,
  options: MutationOptions<NoInfer<Data>> = {},
): [
  mutate: (variables: Variables, how?: MutationOptions<NoInfer<Data>>) => Promise<Result<Data>>,
  state: MutationState<Data> & { reset: () => void },
] {
  const client = useClient()
  const [state, setState] = useState<MutationState<Data>>(idle)
  /** The number of the last call. Earlier calls resolve for their callers but do not change the state. */
  const last = useRef(0)
  const latest = useRef({ document, options })
  useEffect(() => {
    latest.current = { document, options }
  })

  const mutate = useCallback(
    async (variables: Variables, how: MutationOptions<Data> = {}): Promise<Result<Data>> => {
      const { document, options } = latest.current
      const call = ++last.current
      setState({ ...idle, loading: true })
      const result = await client
        .mutate<Data, object>(document as Source<Data, object>, variables, { ...options, ...how })
        .catch((error: Error): Result<Data> => ({ data: undefined, error }))
      if (call === last.current) setState({ data: result.data, error: result.error, loading: false })
      return result
    },
    [client],
  )
  const reset = useCallback(() => {
    last.current++
    setState(idle)
  }, [])
  return [mutate, { ...state, reset }]
}
