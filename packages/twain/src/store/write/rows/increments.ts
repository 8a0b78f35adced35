// Numbers that an update adds to those of the row (`_increment`). The row is locked, so no other write comes between: the sum is
// exact, and a constraint that it violates is reported by name (docs/internals/decisions/0042-increments-and-nested-writes.md).

import { addDecimals, type Problem } from '#base'
import { isExactNumber, type StoredField } from '#model'
import { checkStored, checkValue } from '#plan'
import { forbidFields } from '../rules/write-rules.ts'
import type { WriteState } from '../rules/write-state.ts'
import { runBatch, type Step } from '../steps/query-step.ts'
import type { JobField } from '../steps/write-job.ts'

export function isIncrement({ change }: Pick<JobField, 'change'>): boolean {
  return change === 'increment'
}

/** A problem if the sum is beyond the range of the type, or violates a constraint. */
export function addTo(field: StoredField, present: unknown, amount: unknown, problems: Problem[]): unknown {
  if (present === null) return null
  const { name, type } = field
  const sum = isExactNumber(type)
    ? addDecimals(present as string, amount as string)
    : (present as number) + (amount as number)
  const found: Problem[] = []
  if (sum === null) found.push({ path: name, code: 'RANGE', message: 'would have more than 200 digits.' })
  else checkValue(type, sum, name, found)
  if (found.length === 0) checkStored(field, sum, name, found)
  for (const { message, ...problem } of found)
    problems.push({ ...problem, code: 'RANGE', message: withSum(message, sum) })
  return sum
}

/** The viewer may read the field, and so the sum. */
function withSum(message: string, sum: unknown): string {
  const text = String(sum)
  return sum === null || text.length > 40 ? message : `${message.replace(/\.$/, '')}, and would be ${text}.`
}

/** READ of each field, which the error of a violated constraint reveals, and UPDATE. */
export function* requireIncrements(
  counted: readonly { name: string; shown: boolean }[],
  id: string,
  { rules }: WriteState,
): Step<void> {
  forbidFields(counted.filter(({ shown }) => !shown).map(({ name }) => name))
  yield* runBatch(
    rules.requireFieldUpdates(
      counted.map(({ name }) => name),
      id,
    ),
  )
}
