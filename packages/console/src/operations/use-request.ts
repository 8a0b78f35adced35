// Requests of a page, one at a time, with what went wrong.

import { type Signal, useSignal } from '@preact/signals'
import { type Failure, failureOf } from '../api/client.ts'

/** A list without pages has at most this many rows. The tables below Server have all. */
export const maxListed = 1000

export interface PageRequests {
  failure: Signal<Failure | null>
  isRunning: Signal<boolean>
  /** Whether it succeeded. */
  run(work: () => Promise<void>): Promise<boolean>
}

export function useRequest(): PageRequests {
  const failure = useSignal<Failure | null>(null)
  const isRunning = useSignal(false)
  const run = async (work: () => Promise<void>) => {
    isRunning.value = true
    try {
      await work()
      failure.value = null
      return true
    } catch (error) {
      failure.value = failureOf(error)
      return false
    } finally {
      isRunning.value = false
    }
  }
  return { failure, isRunning, run }
}
