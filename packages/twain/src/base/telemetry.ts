// What modules report about themselves: metrics and log entries.

import { ApiError } from './errors/api-error.ts'

/** A metric of a module: `http/metrics.ts` reads its value when `/metrics` is scraped. */
export interface Gauge {
  name: string
  /** The label `cache`, where several caches report the same metric. */
  cache?: string
  /** The label `kind` of failures. */
  failure?: string
  kind: 'gauge' | 'counter'
  about: string
  value(): number
}

/** The kinds of GraphQL operations. */
export type OperationKind = 'query' | 'mutation' | 'subscription'

/** The log that modules write to. The command decides its format: JSON entries, or short lines for people. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** The stack of an error, or the text of any other value that was thrown. */
export function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** What a log entry shows of an error, under OpenTelemetry's attribute names: an expected failure is logged by its message,
 *  anything else by its stack. */
export function exceptionFields(error: unknown): Record<string, string> {
  return error instanceof ApiError ? { 'exception.message': error.message } : { 'exception.stacktrace': stackOf(error) }
}
