// Reads the input of `POST /codes` and `createCode`: `{for, <login field>}`. It reports all problems at once.

import { didYouMean, type Problem, validationError } from '#base'
import type { Named } from '#model/names'
import type { CodePurpose } from '#store'
import { problemsOf, underPresentName } from '../sign-in/sign-in-input.ts'

const purposes: readonly CodePurpose[] = ['RESET', 'SIGN_IN']

export interface CodeRequest {
  purpose: CodePurpose
  /** As the client wrote it. */
  address: string
}

/** `login` is the field of the account, by either of its names. */
export function readCodeRequest(sent: Record<string, unknown>, login: Named): CodeRequest {
  const input = underPresentName(sent, login)
  const expected = ['for', login.name]
  const problems: Problem[] = Object.keys(input)
    .filter((name) => !expected.includes(name))
    .map((path) => ({ path, code: 'UNKNOWN', message: `is unknown.${didYouMean(path, expected)}` }))
  const purpose = purposes.find((one) => one === input.for)
  for (const name of expected) problems.push(...problemsOf(name, input[name]))
  if (purpose === undefined && typeof input.for === 'string' && input.for !== '') {
    const message = `must be "${purposes.join('" or "')}".${didYouMean(input.for, purposes)}`
    problems.push({ path: 'for', code: 'UNKNOWN', message })
  }
  if (problems.length > 0 || purpose === undefined) throw validationError(problems)
  return { purpose, address: input[login.name] as string }
}
