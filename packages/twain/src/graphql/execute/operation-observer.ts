// Counts GraphQL operations, and makes a span of each by the semantic conventions of GraphQL servers. The document is left out:
// it may have values of the client. Metrics name the root field, which is of the schema; only a span has the client's name of
// the operation.

import {
  ApiError,
  type MaybePromise,
  markFailed,
  type OperationKind,
  recordError,
  type Span,
  type Tracing,
} from '#base'
import { monotonicTime } from '#base/time'
import { RequestErrors, type ResponseError } from '../document/response-errors.ts'
import type { PlannedOperation } from '../plan/plan-operation.ts'
import type { RootResult } from './execution-context.ts'

export type CountOperation = (
  kind: OperationKind | null,
  rootField: string | null,
  isFailed: boolean,
  milliseconds: number,
) => void

/** What is known of a running operation. */
export class OperationNote {
  kind: OperationKind | null = null
  rootField: string | null = null
  name: string | null = null
  /** Null: nothing failed so far. */
  errorCode: string | null = null

  planned({ kind, rootField }: PlannedOperation, name: string | null): void {
    this.kind = kind
    this.rootField = rootField
    this.name = name
  }

  executed(results: readonly RootResult[]): void {
    for (const result of results) this.errorCode ??= firstCode('error' in result ? [result.error] : result.errors)
  }

  failed(error: unknown): void {
    if (error instanceof RequestErrors) this.errorCode = firstCode(error.errors)
    else this.errorCode = error instanceof ApiError ? error.code : 'INTERNAL'
  }
}

export class OperationObserver {
  readonly #count: CountOperation | null
  readonly #tracing: Tracing | null

  constructor(count: CountOperation | null, tracing: Tracing | null) {
    this.#count = count
    this.#tracing = tracing
  }

  observe<T>(run: (note: OperationNote) => MaybePromise<T>): MaybePromise<T> {
    const note = new OperationNote()
    const tracing = this.#tracing
    const span = tracing?.start('GraphQL Operation') ?? null
    const began = monotonicTime()
    const end = () => {
      if (span !== null) endOperationSpan(span, note)
      this.#count?.(note.kind, note.rootField, note.errorCode !== null, monotonicTime() - began)
    }
    const fail = (error: unknown): never => {
      note.failed(error)
      if (note.errorCode === 'INTERNAL' && span !== null) recordError(span, error)
      end()
      throw error
    }
    try {
      const result = span === null ? run(note) : tracing!.run(span, () => run(note))
      if (result instanceof Promise) {
        return result.then((value) => {
          end()
          return value
        }, fail)
      }
      end()
      return result
    } catch (error) {
      return fail(error)
    }
  }
}

function endOperationSpan(span: Span, { kind, name, rootField, errorCode }: OperationNote): void {
  if (kind !== null) span.updateName(kind).setAttribute('graphql.operation.type', kind)
  if (name !== null) span.setAttribute('graphql.operation.name', name)
  if (rootField !== null) span.setAttribute('twain.graphql.root_field', rootField)
  if (errorCode !== null) markFailed(span, errorCode)
  span.end()
}

function firstCode(errors: readonly ResponseError[]): string | null {
  return errors[0]?.extensions.code ?? null
}
