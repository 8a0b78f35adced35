// What is sent to sign in or to renew: `{<login field>, password}` or `{refreshToken}`, every problem told at once.

import { canonicalLogin, didYouMean, type Problem, validationFault } from '#base'

export type SignInInput =
  | { kind: 'password'; login: string; password: string }
  | { kind: 'refresh'; refreshToken: string }

const passwordLength = { min: 8, max: 256 }

export function readSignIn(input: Record<string, unknown>, loginField: string): SignInInput {
  const renews = Object.hasOwn(input, 'refreshToken')
  const wanted = renews ? ['refreshToken'] : [loginField, 'password']
  const problems: Problem[] = []
  for (const name of Object.keys(input)) {
    if (wanted.includes(name)) continue
    const message =
      renews && [loginField, 'password'].includes(name)
        ? 'goes without refreshToken.'
        : `is not known here.${didYouMean(name, [loginField, 'password', 'refreshToken'])}`
    problems.push({ path: name, code: 'UNKNOWN', message })
  }
  for (const name of wanted) problems.push(...problemsOf(name, Object.hasOwn(input, name) ? input[name] : undefined))
  if (problems.length > 0) throw validationFault(problems)
  if (renews) return { kind: 'refresh', refreshToken: input.refreshToken as string }
  return { kind: 'password', login: canonicalLogin(input[loginField] as string), password: input.password as string }
}

/** Who still calls the login as it was called (`@was`) is understood. */
export function underPresentName(
  input: Record<string, unknown>,
  loginField: string,
  former: string | null,
): Record<string, unknown> {
  if (former === null || !Object.hasOwn(input, former) || Object.hasOwn(input, loginField)) return input
  const { [former]: login, ...others } = input
  return { ...others, [loginField]: login }
}

function problemsOf(path: string, value: unknown): Problem[] {
  if (value === undefined || value === null) return [{ path, code: 'REQUIRED', message: 'is required.' }]
  if (typeof value !== 'string') return [{ path, code: 'TYPE', message: 'must be a text.' }]
  const { min, max } = path === 'password' ? passwordLength : { min: 1, max: 4096 }
  const { length } = value
  if (length >= min && length <= max) return []
  return [{ path, code: 'LENGTH', message: `must have ${min} to ${max} characters.` }]
}
