// What is sent to sign in or to renew: `{<login field>, password}` or `{refreshToken}`; or for a ticket, `{for}`. Every
// problem is told at once.

import { canonicalLogin, didYouMean, type Problem, validationError } from '#base'

export type SignInInput =
  | { kind: 'password'; login: string; password: string }
  | { kind: 'refresh'; refreshToken: string }

/** What a token may be for, beside requests. */
const uses = ['stream']

/** `{"for": "stream"}` asks for a ticket and not for a token. */
export function isTicketInput(input: Record<string, unknown>): boolean {
  return Object.hasOwn(input, 'for')
}

export function readTicketInput(input: Record<string, unknown>): void {
  const problems: Problem[] = Object.keys(input)
    .filter((name) => name !== 'for')
    .map((path) => ({ path, code: 'UNKNOWN', message: 'goes without for.' }))
  if (typeof input.for !== 'string') problems.push({ path: 'for', code: 'TYPE', message: 'must be a text.' })
  else if (!uses.includes(input.for)) {
    problems.push({ path: 'for', code: 'UNKNOWN', message: `must be "stream".${didYouMean(input.for, uses)}` })
  }
  if (problems.length > 0) throw validationError(problems)
}

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
        : `is not known here.${didYouMean(name, [loginField, 'password', 'refreshToken', 'for'])}`
    problems.push({ path: name, code: 'UNKNOWN', message })
  }
  for (const name of wanted) problems.push(...problemsOf(name, Object.hasOwn(input, name) ? input[name] : undefined))
  if (problems.length > 0) throw validationError(problems)
  if (renews) return { kind: 'refresh', refreshToken: input.refreshToken as string }
  return { kind: 'password', login: canonicalLogin(input[loginField] as string), password: input.password as string }
}

/** Who still calls the login as it was called (`@was`) is understood. */
export function resolveLoginAlias(
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
