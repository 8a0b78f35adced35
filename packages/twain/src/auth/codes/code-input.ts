// Reads the input of `POST /codes` and `createCode`, `{for, <login field>}` and for a sign-up that waits `secret`, and of `POST /verifications` and `verifyAccount`,
// `{<login field>, code, secret}`. It reports all problems at once.

import { canonicalLogin, didYouMean, type Problem, validationError } from '#base'
import type { Verification } from '#model'
import type { Named } from '#model/names'
import type { CodePurpose } from '#store'
import { problemsOf, underPresentName } from '../sign-in/sign-in-input.ts'

export interface CodeRequest {
  purpose: CodePurpose
  /** As the client wrote it. */
  address: string
  /** That of an earlier code for a sign-up; null: there is none. */
  secret: string | null
  /** For custom code. */
  captcha: string | null
}

/** `login` is the field of the account, by either of its names. */
export function readCodeRequest(sent: Record<string, unknown>, login: Named, verification: Verification): CodeRequest {
  const purposes: readonly CodePurpose[] =
    verification === 'OFF' ? ['RESET', 'SIGN_IN'] : ['RESET', 'SIGN_IN', 'VERIFY']
  const mayRepeat = verification === 'REQUIRED' && sent.for === 'VERIFY' && Object.hasOwn(sent, 'secret')
  const optional = [...(mayRepeat ? ['secret'] : []), ...(Object.hasOwn(sent, 'captcha') ? ['captcha'] : [])]
  const { input, problems } = readMembers(sent, ['for', login.name, ...optional], login)
  const purpose = purposes.find((one) => one === input.for)
  if (purpose === undefined && typeof input.for === 'string' && input.for !== '') {
    const message = `must be ${purposes.map((one) => `"${one}"`).join(' or ')}.${didYouMean(input.for, purposes)}`
    problems.push({ path: 'for', code: 'UNKNOWN', message })
  }
  if (problems.length > 0 || purpose === undefined) throw validationError(problems)
  const { secret = null, captcha = null } = input as { secret?: string; captcha?: string }
  return { purpose, address: input[login.name] as string, secret, captcha }
}

/** What proves an address. */
export interface VerificationInput {
  /** Canonical. */
  login: string
  code: string
  /** Null: the code is one for a change of the viewer's own login. */
  secret: string | null
}

/** A viewer with an account may leave the secret out. */
export function readVerification(sent: Record<string, unknown>, login: Named, hasAccount: boolean): VerificationInput {
  const isLeftOut = hasAccount && !Object.hasOwn(sent, 'secret')
  const { input, problems } = readMembers(sent, [login.name, 'code', ...(isLeftOut ? [] : ['secret'])], login)
  if (problems.length > 0) throw validationError(problems)
  const { code, secret = null } = input as { code: string; secret?: string }
  return { login: canonicalLogin(input[login.name] as string), code, secret }
}

function readMembers(sent: Record<string, unknown>, expected: readonly string[], login: Named) {
  const input = underPresentName(sent, login)
  const problems: Problem[] = Object.keys(input)
    .filter((name) => !expected.includes(name))
    .map((path) => ({ path, code: 'UNKNOWN', message: `is unknown.${didYouMean(path, expected)}` }))
  for (const name of expected) problems.push(...problemsOf(name, Object.hasOwn(input, name) ? input[name] : undefined))
  return { input, problems }
}
