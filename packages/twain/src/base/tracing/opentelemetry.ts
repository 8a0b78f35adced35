// What Twain uses of `@opentelemetry/api`. The published types name no module that a service may not have installed.

type AttributeValue = string | number | boolean | string[]

export interface Attributes {
  [name: string]: AttributeValue | undefined
}

export interface Span {
  spanContext(): { traceId: string; spanId: string; traceFlags: number }
  setAttribute(name: string, value: AttributeValue): Span
  setStatus(status: { code: number; message?: string }): Span
  updateName(name: string): Span
  recordException(error: Error | string): void
  end(time?: number): void
}

/** Which span is active, and more of which we know nothing. */
export interface Context {
  getValue(key: symbol): unknown
  setValue(key: symbol, value: unknown): Context
  deleteValue(key: symbol): Context
}

export interface Tracer {
  startSpan(name: string, options: { kind: number; attributes: Attributes; startTime?: number }, context: Context): Span
}

export interface OpenTelemetry {
  trace: {
    getTracer(name: string): Tracer
    getActiveSpan(): Span | undefined
    setSpan(context: Context, span: Span): Context
    setSpanContext(
      context: Context,
      parent: { traceId: string; spanId: string; traceFlags: number; isRemote: boolean },
    ): Context
  }
  context: { active(): Context; with<T>(context: Context, work: () => T): T }
  propagation: { extract(context: Context, headers: object): Context }
  ROOT_CONTEXT: Context
}
