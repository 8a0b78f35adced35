// The schema files as they are now, if they are not the ones that the service serves: `twain dev` reads them again when they change,
// and goes on with the previous schema if it can't serve them.

import type { Mistake, SchemaSource } from '#model'

export interface PendingSchema {
  /** Empty: the files could not be read, or something else is wrong. */
  files: readonly SchemaSource[]
  mistakes: readonly Mistake[]
  /** Why they are not served, as the terminal says it. */
  reason: string
}

export class SchemaWatch {
  /** Whether changes of the files are noticed. */
  readonly isWatched: boolean
  /** Null: the served schema is that of the files, as far as the server knows. */
  pending: PendingSchema | null = null

  constructor(isWatched: boolean) {
    this.isWatched = isWatched
  }
}
