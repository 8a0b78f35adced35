// Several writes inside one transaction: when one is refused all are. Those behind it are tried even so,
// so that what is wrong with each is told at once, with the number of the write before its places.

import { Fault, type Problem, validationFault } from '#base'
import { applyWrite } from './apply-write.ts'
import { complete, known, type Look, type Step } from './ask.ts'
import type { BatchJob, Written, WrittenBatch } from './job.ts'
import type { WriterContext } from './writer-context.ts'

export function* applyBatch({ jobs }: BatchJob, context: WriterContext, time: string): Step<Look<WrittenBatch>> {
  const answers: Written[] = []
  const faults: { index: number; fault: Fault }[] = []
  for (const [index, job] of jobs.entries()) {
    try {
      answers.push(yield* complete(applyWrite(job, context, time)))
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault
      faults.push({ index, fault })
    }
  }
  const [first] = faults
  if (first !== undefined) throw together(first, faults)
  return known({ kind: 'batch', answers })
}

interface Failed {
  index: number
  fault: Fault
}

/** The first one's, with the places of all that are of its kind. */
function together({ index, fault }: Failed, faults: readonly Failed[]): Fault {
  const { code, message, hint, headers } = fault
  const alike = faults.filter((other) => other.fault.code === code)
  const problems: Problem[] = alike.flatMap((other) =>
    other.fault.problems.map((problem) => ({
      ...problem,
      path: problem.path === '' ? String(other.index) : `${other.index}.${problem.path}`,
    })),
  )
  if (problems.length === 0) return new Fault(code, `${index}: ${message}`, { hint, headers })
  const told = validationFault(problems, code)
  return new Fault(code, told.message, { hint, headers, problems: told.problems })
}
