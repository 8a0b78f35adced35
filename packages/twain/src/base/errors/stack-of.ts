// What a log entry shows of an error, under OpenTelemetry's attribute names.

import { ApiError } from './api-error.ts'

/** The stack of an error, or the text of any other value that was thrown. */
export function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** An expected failure is logged by its message, anything else by its stack. */
export function exceptionFields(error: unknown): Record<string, string> {
  return error instanceof ApiError ? { 'exception.message': error.message } : { 'exception.stacktrace': stackOf(error) }
}
