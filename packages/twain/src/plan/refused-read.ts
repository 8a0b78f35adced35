// A field that was asked for by name, and that the viewer can never read.

import { Fault } from '#base'
import type { Field } from '#model'

export class RefusedRead extends Fault {
  /** More than one behind an interface or a union: each type has its own. */
  readonly fields: readonly Field[]

  constructor(message: string, fields: readonly Field[]) {
    super('FORBIDDEN', message)
    this.fields = fields
  }
}
