// The error for a request that names a field which the viewer can never read.

import { ApiError } from '#base'
import type { AnyField } from '#model'

export class ForbiddenRead extends ApiError {
  /** Several for an interface or union: one of each type. */
  readonly fields: readonly AnyField[]

  constructor(message: string, fields: readonly AnyField[]) {
    super('FORBIDDEN', message)
    this.fields = fields
  }
}
