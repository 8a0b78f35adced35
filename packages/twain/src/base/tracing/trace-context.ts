// The trace that the running work belongs to, as a `traceparent` (W3C Trace Context). A write stores it in the change log, so
// that webhooks and change handlers continue the trace. It works without OpenTelemetry: then it is that of the request's header.

import { AsyncLocalStorage } from 'node:async_hooks'

const current = new AsyncLocalStorage<string | null>()

/** Null: the work belongs to no trace, wherever it was started. */
export function withTraceparent<T>(traceparent: string | null, work: () => T): T {
  return current.run(traceparent, work)
}

/** Null: the work belongs to no trace. */
export function currentTraceparent(): string | null {
  return current.getStore() ?? null
}

const form = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/

/** The value of the header if it is valid, else null. */
export function readTraceparent(header: string | undefined): string | null {
  return header !== undefined && form.test(header) ? header : null
}
