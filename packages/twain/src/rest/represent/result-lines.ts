// The outcome of each row of a lenient create, as a line of NDJSON (docs/reference/rest.md, R79).

import { type ApiError, catalogue } from '#base'
import { type HttpRequest, problemDocument } from '#base/http'
import type { EachOutcome } from '#engine'

/** A row of the body with what became of it. */
export interface RowResult {
  place: RowPlace
  outcome: EachOutcome
}

/** The line of the body where the row begins, from 1; of a JSON list its index, from 0. */
export type RowPlace = { line: number } | { index: number }

export function resultLine({ place, outcome }: RowResult, request: HttpRequest): string {
  if (outcome.kind === 'written') {
    return `${JSON.stringify({ ...place, status: outcome.created ? 201 : 200, id: outcome.id })}\n`
  }
  const { code } = outcome
  const { origin, basePath = '', path } = request
  const source = { ...outcome, ...catalogue[code] }
  const problem = problemDocument(source, `${origin ?? ''}${basePath}`, basePath + path)
  return `${JSON.stringify({ ...place, status: source.status, problem })}\n`
}

export function refusedRow({ code, message, hint, problems }: ApiError): EachOutcome {
  return { kind: 'refused', code, message, problems, ...(hint !== undefined && { hint }) }
}
