// Fields that are absent from the rows of a response: those that the viewer may not read on a row, and computed fields whose
// custom code failed. A header lists each failure (docs/reference/rest.md, R117), and such a response is not cached.

import { ApiError, uuidv7 } from '#base'
import type { HttpReply } from '#base/http'
import { type CodeFailure, failureMarker, forbiddenMarker, type PlanResult } from '#plan'
import type { Visibility } from '#plan/build'

/** Called for unexpected errors, with the id that the header shows and the id of the request. */
export type ReportCodeError = (error: unknown, id: string, request: string | undefined) => void

/** Removes the failed fields from the result. */
export function withoutFailedFields(answer: PlanResult): PlanResult {
  if (answer.kind === 'deleted' || answer.kind === 'bulk') return answer
  if (answer.kind === 'batch') return { ...answer, answers: answer.answers.map(withoutFailedFields) }
  if (answer.failures === undefined || answer.text === null) return answer
  return { ...answer, text: withoutFailureMarkers(answer.text) }
}

export function withoutFailureMarkers(text: string): string {
  return JSON.stringify(without(JSON.parse(text)))
}

/** A failed item of a list becomes null, so that the others keep their index. */
function without(value: unknown): unknown {
  if (failureMarker.read(value) !== null) return undefined
  if (Array.isArray(value)) return value.map((item) => without(item) ?? null)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, member]) => [key, without(member)] as const)
  return Object.fromEntries(members.filter(([, member]) => member !== undefined))
}

export function failuresOf(answer: PlanResult): readonly CodeFailure[] {
  if (answer.kind === 'deleted' || answer.kind === 'bulk') return []
  if (answer.kind === 'batch') return answer.answers[0] === undefined ? [] : failuresOf(answer.answers[0])
  return answer.failures ?? []
}

/** A structured field (RFC 9651): `excerpt;code=INTERNAL;id="…"`, one for each field and code. */
export function printFailures(
  failures: readonly CodeFailure[],
  onError: ReportCodeError | null,
  request: string | undefined,
): string {
  const entries = new Map<string, string>()
  for (const { field, error } of failures) {
    if (error instanceof ApiError) {
      entries.set(`${field.name} ${error.code}`, `${field.name};code=${error.code}`)
      continue
    }
    if (onError === null) throw error
    const key = `${field.name} INTERNAL`
    if (entries.has(key)) continue
    const id = uuidv7()
    onError(error, id, request)
    entries.set(key, `${field.name};code=INTERNAL;id="${id}"`)
  }
  return [...entries.values()].join(', ')
}

export function addFailureHeaders(reply: HttpReply, failures: string): HttpReply {
  const { etag: _etag, 'last-modified': _modified, ...headers } = reply.headers
  return { ...reply, headers: { ...headers, 'cache-control': 'no-store', 'x-failed-fields': failures } }
}

/** Removes the fields that the viewer may not read on a row (docs/reference/rest.md, R18). */
export function visibleText(text: string, { mayForbid }: Visibility): string {
  return mayForbid && forbiddenMarker.isIn(text)
    ? JSON.stringify(forbiddenMarker.replaceIn(text, () => undefined))
    : text
}
