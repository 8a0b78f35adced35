// `$0.id`, `$post.id`: where a write of a transaction wants an id, that of the row of an earlier one.

import { didYouMean, type Problem, validationError } from '#base'
import { slotsOf } from '../parameters.ts'
import type { Question, Slot, Write } from '../plan.ts'

/** The ids of the rows so far, by the names of their writes. */
export type Earlier = ReadonlyMap<string, string>

const form = /^\$([A-Za-z0-9_]+)\.id$/

/** The question with these ids in it. Throws a Fault that names every place where a name is of no earlier write. Texts that
 *  are no ids are what they are. */
export function withEarlier(question: Question<Write>, earlier: Earlier): Question<Write> {
  const problems: Problem[] = []
  const values = [...question.values]
  for (const slot of slotsOf(question.plan)) {
    if (!isId(slot)) continue
    const place = question.places[slot.index] ?? ''
    const value = values[slot.index]
    values[slot.index] = Array.isArray(value)
      ? value.map((one, index) => earlierId(one, earlier, `${place}.${index}`, problems))
      : earlierId(value, earlier, place, problems)
  }
  if (problems.length > 0) throw validationError(problems)
  return { ...question, values }
}

function isId({ fits }: Slot): boolean {
  if (fits.kind === 'field') return fits.field.kind !== 'stored'
  return fits.kind === 'type' && fits.type.kind === 'scalar' && fits.type.name === 'ID'
}

/** The value itself where it is no such name. */
export function earlierId(value: unknown, earlier: Earlier, place: string, problems: Problem[]): unknown {
  const name = typeof value === 'string' ? form.exec(value)?.[1] : undefined
  if (name === undefined) return value
  const id = earlier.get(name)
  if (id !== undefined) return id
  const near = didYouMean(name, earlier.keys())
  problems.push({ path: place, code: 'UNKNOWN', message: `"$${name}" is no write before this one.${near}` })
  return value
}
