// Spans, through `@opentelemetry/api` (decision 56). The module is an optional peer: `openTracing` returns null unless the
// service has installed it and has registered an SDK. So code that may be traced holds `Tracing | null`, and pays one check.
//
// Each module names its spans and attributes by the semantic conventions: http/request-span.ts, store/statements/,
// graphql/execute/operation-span.ts, events/.

import { ApiError } from '../errors/api-error.ts'
import { exceptionFields, type Log } from '../telemetry.ts'
import type { Attributes, Context, OpenTelemetry, Span, Tracer } from './opentelemetry.ts'
import { withTraceparent } from './trace-context.ts'

/** By their numbers in `SpanKind`, so that nothing of the peer is loaded here. */
const kinds = { internal: 0, server: 1, client: 2, producer: 3, consumer: 4 } as const

const STATUS_ERROR = 2

export interface SpanOptions {
  kind?: keyof typeof kinds
  attributes?: Attributes
  /** A `traceparent`, or null for a new trace. Default: the active span is the parent. */
  parent?: string | null
  /** Milliseconds since 1970. Default: now. */
  startTime?: number
}

/** What adapters see of the span of a request. */
export interface RequestSpan {
  /** Notes a bug, of which the client sees only an id. */
  recordError(error: unknown): void
}

export class Tracing {
  readonly #api: OpenTelemetry
  readonly #tracer: Tracer

  constructor(api: OpenTelemetry) {
    this.#api = api
    this.#tracer = api.trace.getTracer('twain')
  }

  /** Whether the running work belongs to a span. */
  get isActive(): boolean {
    return this.#api.trace.getActiveSpan() !== undefined
  }

  /** Notes a bug on the active span. */
  recordError(error: unknown): void {
    const span = this.#api.trace.getActiveSpan()
    if (span !== undefined) recordError(span, error)
  }

  start(name: string, options: SpanOptions = {}): Span {
    const { parent } = options
    return this.#start(name, options, parent === undefined ? this.#api.context.active() : this.#contextOf(parent))
  }

  /** The parent is that of the header fields of a request. */
  startFromHeaders(name: string, headers: Readonly<Record<string, string | undefined>>, options: SpanOptions): Span {
    const { propagation, ROOT_CONTEXT } = this.#api
    return this.#start(name, options, propagation.extract(ROOT_CONTEXT, headers))
  }

  #start(name: string, { kind = 'internal', attributes = {}, startTime }: SpanOptions, context: Context): Span {
    const time = startTime === undefined ? {} : { startTime }
    return this.#tracer.startSpan(name, { kind: kinds[kind], attributes, ...time }, context)
  }

  /** Runs the work with this span as the active one: also custom code, and its calls of instrumented libraries. */
  run<T>(span: Span, work: () => T): T {
    const { context, trace } = this.#api
    return withTraceparent(traceparentOf(span), () => context.with(trace.setSpan(context.active(), span), work))
  }

  /** A span around the work, which ends with it. */
  around<T>(span: Span, work: () => T): T {
    let result: T
    try {
      result = this.run(span, work)
    } catch (error) {
      endSpan(span, error)
      throw error
    }
    if (!(result instanceof Promise)) {
      endSpan(span)
      return result
    }
    return result.then(
      (value) => {
        endSpan(span)
        return value
      },
      (error) => {
        endSpan(span, error)
        throw error
      },
    ) as T
  }

  #contextOf(traceparent: string | null): Context {
    const { trace, ROOT_CONTEXT } = this.#api
    if (traceparent === null) return ROOT_CONTEXT
    const [, traceId = '', spanId = '', flags = '00'] = traceparent.split('-')
    const traceFlags = Number.parseInt(flags, 16)
    return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
  }
}

export function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}

/** Ends the span; with an error its status is that of a failure. */
export function endSpan(span: Span, error?: unknown): void {
  if (error !== undefined) recordError(span, error)
  span.end()
}

export function recordError(span: Span, error: unknown): void {
  span.recordException(error instanceof Error ? error : String(error))
  markFailed(span, errorType(error), error instanceof Error ? error.message : undefined)
}

export function markFailed(span: Span, type: string, message?: string): void {
  span.setAttribute('error.type', type)
  span.setStatus({ code: STATUS_ERROR, ...(message === undefined ? {} : { message }) })
}

function errorType(error: unknown): string {
  if (error instanceof ApiError) return error.code
  const { code, name } = error as { code?: unknown; name?: unknown }
  return String(code ?? name ?? 'Error')
}

/** The key under which every copy of `@opentelemetry/api` 1.x keeps what an SDK has registered. */
const registryKey = Symbol.for('opentelemetry.js.api.1')

/** Null if no SDK has registered a tracer provider; then the peer is not even loaded. */
export async function openTracing(log: Log): Promise<Tracing | null> {
  const registry = (globalThis as { [registryKey]?: { trace?: unknown } })[registryKey]
  if (registry?.trace === undefined) return null
  try {
    return new Tracing(await import('@opentelemetry/api'))
  } catch (error) {
    log.warn(exceptionFields(error), 'nothing is traced: install @opentelemetry/api beside twain')
    return null
  }
}
