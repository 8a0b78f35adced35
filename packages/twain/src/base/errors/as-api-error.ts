// Errors of custom code: an error whose code is in the catalogue is passed on, whatever its class. `INTERNAL` is reserved for
// unexpected errors.

import { ApiError } from './api-error.ts'
import { type Code, catalogue } from './catalogue.ts'

export function asApiError(error: unknown): unknown {
  if (error instanceof ApiError || typeof error !== 'object' || error === null) return error
  const { code, message, hint } = error as { code?: unknown; message?: unknown; hint?: unknown }
  if (!isCode(code) || typeof message !== 'string') return error
  return new ApiError(code, message, { hint: typeof hint === 'string' ? hint : undefined, cause: error })
}

function isCode(code: unknown): code is Code {
  return typeof code === 'string' && code !== 'INTERNAL' && Object.hasOwn(catalogue, code)
}
