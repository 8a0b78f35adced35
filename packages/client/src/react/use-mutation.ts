// A mutation in a component: a function that sends it, and the state of the last call. The function never rejects, so a
// handler that does not await it leaves no unhandled rejection. The error is in its result and in the state.

import { useCallback, useEffect, useRef, useState } from 'react'
import type { ErrorPolicy, MutationData, MutationOptions, Result } from '../client/options.ts'
import type { Source } from '../document/operation.ts'
import { useClient } from './provider.ts'

export interface MutationState<Data> {
  readonly data: Data | undefined
  readonly error: Error | undefined
  readonly loading: boolean
}

const idle: MutationState<never> = { data: undefined, error: undefined, loading: false }

/** The type of the data follows the error policy of the hook, not that of the client. */
export function useMutation<
  Written,
  Variables extends object = Record<string, unknown>,
  Policy extends ErrorPolicy = 'none',
>(
  document: Source<Written, Variables>,
  options: MutationOptions<NoInfer<Written>, Policy> = {},
): [
  mutate: (
    variables: Variables,
    how?: MutationOptions<NoInfer<Written>, Policy>,
  ) => Promise<Result<MutationData<Written, Policy>>>,
  state: MutationState<MutationData<Written, Policy>> & { reset: () => void },
] {
  type Data = MutationData<Written, Policy>
  const client = useClient()
  const [state, setState] = useState<MutationState<Data>>(idle)
  /** The number of the last call. Earlier calls resolve for their callers but do not change the state. */
  const last = useRef(0)
  const latest = useRef({ document, options })
  useEffect(() => {
    latest.current = { document, options }
  })

  const mutate = useCallback(
    async (variables: Variables, how: MutationOptions<Written, Policy> = {}): Promise<Result<Data>> => {
      const { document, options } = latest.current
      const call = ++last.current
      setState({ ...idle, loading: true })
      const result = await client
        .mutate<Written, object, Policy>(document as Source<Written, object>, variables, { ...options, ...how })
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
