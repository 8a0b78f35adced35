// Explains what the rules deny: which rules would have allowed it. For the log, and in `twain dev` as a hint in the error.

import { ApiError, withHint } from '#base'
import type { Viewer } from '#base/http'
import type { AnyField, CustomOperation, Model } from '#model'
import type { WriteKind } from '#plan'
import { explainCallDenial, explainDenial, explainReadDenial } from '#plan/explain'

export interface DenialReporting {
  /** Whether clients get the hint too: only where clients are the authors of the schema file. */
  inAnswer: boolean
  log(rules: string, denied: DeniedAction, request: DeniedRequest): void
}

type DeniedAction = 'read' | 'write' | 'call'

/** The request, for the log. */
export interface DeniedRequest {
  path: string
  id: string | undefined
}

/** What adapters report of requests that the rules denied. The engine does not know the request. */
export interface DenialLog {
  /** Fields that the viewer may not read; once for a request. */
  logRead(fields: Iterable<AnyField>, request: DeniedRequest): void
  /** An error of the engine, if it is a denial. */
  logError(error: unknown, request: DeniedRequest): void
  /** Undefined: clients get no hints. */
  hint(fields: Iterable<AnyField>): string | undefined
}

export class Denials implements DenialLog {
  /** What would have allowed a denied write or call, by its error. */
  readonly #explained = new WeakMap<object, { rules: string; denied: DeniedAction }>()
  readonly #model: Model
  readonly #reporting: DenialReporting | undefined

  constructor(model: Model, reporting: DenialReporting | undefined) {
    this.#model = model
    this.#reporting = reporting
  }

  logRead(fields: Iterable<AnyField>, request: DeniedRequest): void {
    if (this.#reporting !== undefined) {
      this.#reporting.log(explainReadDenial(fields, this.#model), 'read', request)
    }
  }

  logError(error: unknown, request: DeniedRequest): void {
    const found = typeof error === 'object' && error !== null ? this.#explained.get(error) : undefined
    if (found !== undefined) this.#reporting?.log(found.rules, found.denied, request)
  }

  hint(fields: Iterable<AnyField>): string | undefined {
    if (this.#reporting?.inAnswer !== true) return undefined
    return explainReadDenial(fields, this.#model)
  }

  /** The error of a write, with its hint if it is a denial. */
  explain(error: unknown, write: WriteKind | undefined, viewer: Viewer): unknown {
    if (this.#reporting === undefined || write === undefined || !isDenial(error)) return error
    if (write.of.system !== undefined) return error // the schema file can't grant it
    return this.#report(error, explainDenial(write, error, viewer, this.#model), 'write')
  }

  /** The same for a call of a custom operation. */
  explainCall(error: unknown, operation: CustomOperation): unknown {
    if (this.#reporting === undefined || !isDenial(error)) return error
    return this.#report(error, explainCallDenial(operation), 'call')
  }

  #report(error: ApiError, rules: string, denied: DeniedAction): ApiError {
    const reported =
      this.#reporting?.inAnswer === true
        ? withHint(error, [error.hint, rules].filter((one) => one !== undefined).join(' '))
        : error
    this.#explained.set(reported, { rules, denied })
    return reported
  }
}

function isDenial(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false
  // No rule allows what a session that acts as somebody can't do.
  if (error.problems.some(({ code }) => code === 'ACTING')) return false
  return error.code === 'FORBIDDEN' || error.code === 'UNAUTHENTICATED'
}
