// What the engine expects of the service's custom code. The `code` module implements it, and limits the time of each call.

import type { IdempotencyKey, Viewer } from '#base/http'
import type { ComputedField, CustomOperation } from '#model'

export interface CustomCode {
  /** A value for each row, in their order; an Error fails that row alone. Rejects when the call failed. */
  compute(field: ComputedField, rows: readonly CodeInputRow[], args: CodeArguments, viewer: Viewer): Promise<unknown[]>
  /** Rejects when the call failed. With a key, each write of the code is idempotent. */
  call(
    operation: CustomOperation,
    args: CodeArguments,
    viewer: Viewer,
    idempotencyKey: IdempotencyKey | null,
  ): Promise<unknown>
  /** Starts a custom subscription. Rejects when the code failed to start it. */
  subscribe(operation: CustomOperation, args: CodeArguments, viewer: Viewer): Promise<CodeValues>
}

/** The values that a custom subscription yields. */
export interface CodeValues {
  /** The next value; null: there are no more. Rejects when the code failed, and then there are no more either. */
  next(): Promise<{ value: unknown } | null>
  /** Lets the code end. It does not wait for it. */
  stop(): void
}

/** What custom code gets of a row: its id, and the fields that `from` names, null where the viewer may not read them. */
export type CodeInputRow = Readonly<Record<string, unknown>> & { readonly id: string }

/** By name. An argument that the client left out, and that has no default, is absent. */
export type CodeArguments = Readonly<Record<string, unknown>>
