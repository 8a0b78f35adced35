// An expected failure: a code of the catalogue, a sentence for people, a hint, and every place that is wrong.
// Whatever is thrown and is not a Fault is a bug: the doors mask it and the log shows it.

import { type Code, catalogue, type DetailCode } from './catalogue.ts'

export interface Problem {
  /** Where in the request, in the door's own words: `title`, `where.author.nme`, `createdAt[gte]`. */
  path: string
  code: DetailCode
  message: string
}

interface FaultOptions {
  hint?: string | undefined
  problems?: Problem[] | undefined
  headers?: Record<string, string> | undefined
  cause?: unknown
}

export class Fault extends Error {
  readonly code: Code
  readonly hint: string | undefined
  readonly problems: Problem[]
  /** Header fields that the answer must carry, such as `Allow` or `Retry-After`. */
  readonly headers: Record<string, string>

  constructor(code: Code, message: string, options: FaultOptions = {}) {
    super(message, { cause: options.cause })
    this.name = 'Fault'
    this.code = code
    this.hint = options.hint
    this.problems = options.problems ?? []
    this.headers = options.headers ?? {}
  }

  get status(): number {
    return catalogue[this.code].status
  }

  get title(): string {
    return catalogue[this.code].title
  }
}

/** One fault for all problems of a request; the sentence is the first problem's, and says how many more there are. */
export function validationFault(problems: Problem[], code: Code = 'VALIDATION_FAILED'): Fault {
  const [first] = problems
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
  return new Fault(
    code,
    `${first?.path ? `${first.path}: ` : ''}${first?.message ?? 'The request is not valid.'}${more}`,
    {
      problems,
    },
  )
}
