// A field that was asked for by name, and that the viewer can never read.

import { ApiError } from '#base'
import type { AnyField } from '#model'

export class ForbiddenRead extends ApiError {
  /** More than one behind an interface or a union: each type has its own. */
  readonly fields: readonly AnyField[]

  constructor(message: string, fields: readonly AnyField[]) {
    super('FORBIDDEN', message)
    this.fields = fields
  }
}
