// Explains what the rules deny: which rules would have allowed it. For the log, and in `twain dev` as a hint in the error.

import { ApiError, withHint } from '#base'
import type { Viewer } from '#base/http'
import type { AnyField, Model } from '#model'
import type { WriteKind } from '#plan'
import { explainDenial, explainReadDenial } from '#plan/explain'

export interface DenialReporting {
  /** The name of the schema file, for the places of its rules. */
  file: string
  /** Whether clients get the hint too: only where clients are the authors of the schema file. */
  inAnswer: boolean
  log(rules: string, denied: 'read' | 'write'): void
}

/** What adapters report of fields that the viewer may not read. */
export interface DeniedReads {
  /** Once for a request. */
  log(fields: Iterable<AnyField>): void
  /** Undefined: clients get no hints. */
  hint(fields: Iterable<AnyField>): string | undefined
}

export class Denials implements DeniedReads {
  readonly #model: Model
  readonly #reporting: DenialReporting | undefined

  constructor(model: Model, reporting: DenialReporting | undefined) {
    this.#model = model
    this.#reporting = reporting
  }

  log(fields: Iterable<AnyField>): void {
    if (this.#reporting !== undefined) {
      this.#reporting.log(explainReadDenial(fields, this.#model, this.#reporting.file), 'read')
    }
  }

  hint(fields: Iterable<AnyField>): string | undefined {
    if (this.#reporting?.inAnswer !== true) return undefined
    return explainReadDenial(fields, this.#model, this.#reporting.file)
  }

  /** The error of a write, with its hint if it is a denial. */
  explain(error: unknown, write: WriteKind | undefined, viewer: Viewer): unknown {
    if (this.#reporting === undefined || write === undefined || !isDenial(error)) return error
    const { file, inAnswer, log } = this.#reporting
    const rules = explainDenial(write, error, viewer, this.#model, file)
    log(rules, 'write')
    return inAnswer ? withHint(error, rules) : error
  }
}

function isDenial(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.code === 'FORBIDDEN' || error.code === 'UNAUTHENTICATED')
}
