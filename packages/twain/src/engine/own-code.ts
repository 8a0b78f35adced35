// What the engine wants of the service's own code. Whoever runs it (a floor above) holds it to its time.

import type { Viewer } from '#base'
import type { ComputedField, OwnOperation } from '#model'

export interface OwnCode {
  /** A value for each row, in their order; one that is an Error failed for that row alone. Rejects when the call failed. */
  compute(field: ComputedField, rows: readonly GivenRow[], args: GivenArguments, viewer: Viewer): Promise<unknown[]>
  /** Rejects when the call failed. */
  call(operation: OwnOperation, args: GivenArguments, viewer: Viewer): Promise<unknown>
}

/** What own code is given of a row: its id, and what `from` names, null where its viewer may not read it. */
export type GivenRow = Readonly<Record<string, unknown>> & { readonly id: string }

/** By name; what was left out and has no default is not there. */
export type GivenArguments = Readonly<Record<string, unknown>>
