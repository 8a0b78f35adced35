// The values of a custom subscription, one after another as its reader takes them.
//
// 1. The code runs only while a value is requested, so a slow reader slows it down and nothing is buffered.
// 2. To end it, Twain aborts the signal of its context and calls `return` of its iterator. It waits for neither: a generator that
//    waits for something returns only after that.

import { asApiError, type Log, stackOf } from '#base'
import type { CodeValues } from '#engine'

/** Throws if the resolver returned something else than an async iterable. */
export function codeValues(returned: unknown, functionName: string, ending: AbortController, log: Log): CodeValues {
  const values = iteratorOf(returned, functionName)
  let isOver = false
  const end = () => {
    isOver = true
    ending.abort()
  }
  return {
    async next() {
      try {
        const step = await values.next()
        if (step.done !== true) return { value: step.value }
        end()
        return null
      } catch (error) {
        end()
        throw asApiError(error)
      }
    },
    stop() {
      if (isOver) return
      end()
      close(values).catch((error) =>
        log.warn(
          { 'code.function.name': functionName, 'exception.stacktrace': stackOf(error) },
          'custom code failed while its subscription ended',
        ),
      )
    },
  }
}

function iteratorOf(returned: unknown, functionName: string): AsyncIterator<unknown> {
  const iterable = returned as Partial<AsyncIterable<unknown>> | null | undefined
  const iterate = iterable?.[Symbol.asyncIterator]
  if (typeof iterate !== 'function') throw new Error(`${functionName} returned no async iterable`)
  return iterate.call(iterable)
}

async function close(values: AsyncIterator<unknown>): Promise<void> {
  await values.return?.()
}
