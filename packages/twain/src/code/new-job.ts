// What `context.enqueue` puts into the queue, checked.

import { didYouMean } from '#base'
import type { NewJob } from '#store'

export interface EnqueueOptions {
  /** When the job may begin; default: now. */
  at?: Date | string | number
  /** While a job of this name and key waits for its first attempt, another one is that one. Jobs of a key run one at a time. */
  key?: string
}

/** docs/reference/custom-code.md states these limits. */
const maxPayloadLength = 1_000_000
const maxKeyLength = 255

/** `names` are those of the jobs in `twain.config.ts`; `by` is who causes the job. */
export function newJob(
  name: string,
  payload: unknown,
  { at, key }: EnqueueOptions,
  names: ReadonlySet<string>,
  by: string,
): NewJob {
  if (!names.has(name)) throw new Error(`there is no job "${name}" in twain.config.ts.${didYouMean(name, names)}`)
  if (key !== undefined && (typeof key !== 'string' || key === '' || key.length > maxKeyLength))
    throw new Error(`the key of a job is a text of 1 to ${maxKeyLength} characters`)
  return { kind: 'code', name, key: key ?? null, payload: toJson(name, payload), at: toTime(at), by }
}

function toJson(name: string, payload: unknown): string {
  const text = JSON.stringify(payload ?? null) as string | undefined
  if (text === undefined) throw new Error(`the payload of the job "${name}" must be JSON, not a ${typeof payload}`)
  if (text.length <= maxPayloadLength) return text
  throw new Error(`the payload of the job "${name}" has ${text.length} characters; it may have ${maxPayloadLength}`)
}

function toTime(at: EnqueueOptions['at']): number | null {
  if (at === undefined) return null
  const time = new Date(at).getTime()
  if (Number.isNaN(time))
    throw new Error('the time `at` of a job is a Date, an RFC 3339 text, or milliseconds since 1970')
  return time
}
