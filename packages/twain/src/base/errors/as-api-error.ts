// What own code refuses with: an error whose code is of the catalogue is told as it is, whoever's class it is. `INTERNAL` is
// for what was not expected, so nothing can ask for it.

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
