// Work that follows a change continues the trace of the request that made it, by the semantic conventions of messaging. Without
// tracing the `traceparent` is passed on as the request had it.

import { type Attributes, endSpan, type Tracing, traceparentOf, withTraceparent } from '#base'

export interface TracedWork<T> {
  /** `send post.created`, or `process on.Post`. */
  name: string
  kind: 'producer' | 'consumer'
  attributes: Attributes
  /** The `traceparent` of the change; null: it belongs to no trace. */
  parent: string | null
  /** Gets the `traceparent` to send on. */
  run(traceparent: string | null): Promise<T>
  /** Of a result: why the work failed; null: it did not. */
  failureOf?(result: T): Error | null
}

export async function runTraced<T>(tracing: Tracing | null, work: TracedWork<T>): Promise<T> {
  const { name, kind, attributes, parent, run, failureOf } = work
  if (tracing === null) return withTraceparent(parent, () => run(parent))
  const span = tracing.start(name, { kind, attributes: { 'messaging.system': 'twain', ...attributes }, parent })
  try {
    const result = await tracing.run(span, () => run(traceparentOf(span)))
    endSpan(span, failureOf?.(result) ?? undefined)
    return result
  } catch (error) {
    endSpan(span, error)
    throw error
  }
}
