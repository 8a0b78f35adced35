// Reads the input of sign-in, renewal and tickets: `{<login field>, password}`, `{refreshToken}` or `{for}`. It reports all
// problems at once.

import { canonicalLogin, didYouMean, type Problem, validationError } from '#base'
import { type Named, namesOf } from '#model/names'

export type SignInInput =
  | { kind: 'password'; login: string; password: string }
  | { kind: 'refresh'; refreshToken: string }

/** The values of `for`. */
const ticketUses = ['stream']

/** `{"for": "stream"}` requests a ticket instead of a token. */
export function isTicketInput(input: Record<string, unknown>): boolean {
  return Object.hasOwn(input, 'for')
}

export function readTicketInput(input: Record<string, unknown>): void {
  const problems: Problem[] = Object.keys(input)
    .filter((name) => name !== 'for')
    .map((path) => ({ path, code: 'UNKNOWN', message: 'must not be combined with for.' }))
  if (typeof input.for !== 'string') problems.push({ path: 'for', code: 'TYPE', message: 'must be a string.' })
  else if (!ticketUses.includes(input.for)) {
    problems.push({ path: 'for', code: 'UNKNOWN', message: `must be "stream".${didYouMean(input.for, ticketUses)}` })
  }
  if (problems.length > 0) throw validationError(problems)
}

const passwordLength = { min: 8, max: 256 }

/** `login` is the field of the account, by either of its names. */
export function readSignIn(sent: Record<string, unknown>, login: Named): SignInInput {
  const loginField = login.name
  const input = underPresentName(sent, login)
  const isRenewal = Object.hasOwn(input, 'refreshToken')
  const expected = isRenewal ? ['refreshToken'] : [loginField, 'password']
  const problems: Problem[] = []
  for (const name of Object.keys(input)) {
    if (expected.includes(name)) continue
    const message =
      isRenewal && [loginField, 'password'].includes(name)
        ? 'must not be combined with refreshToken.'
        : `is unknown.${didYouMean(name, [loginField, 'password', 'refreshToken', 'for'])}`
    problems.push({ path: name, code: 'UNKNOWN', message })
  }
  for (const name of expected) problems.push(...problemsOf(name, Object.hasOwn(input, name) ? input[name] : undefined))
  if (problems.length > 0) throw validationError(problems)
  if (isRenewal) return { kind: 'refresh', refreshToken: input.refreshToken as string }
  return { kind: 'password', login: canonicalLogin(input[loginField] as string), password: input.password as string }
}

function underPresentName(input: Record<string, unknown>, login: Named): Record<string, unknown> {
  const used = nameIn(input, login) ?? login.name
  if (used === login.name) return input
  const { [used]: value, ...others } = input
  return { ...others, [login.name]: value }
}

/** The name under which the input has the login. */
export function nameIn(input: object, login: Named): string | undefined {
  return namesOf(login).find((name) => Object.hasOwn(input, name))
}

function problemsOf(path: string, value: unknown): Problem[] {
  if (value === undefined || value === null) return [{ path, code: 'REQUIRED', message: 'is required.' }]
  if (typeof value !== 'string') return [{ path, code: 'TYPE', message: 'must be a string.' }]
  const { min, max } = path === 'password' ? passwordLength : { min: 1, max: 4096 }
  const { length } = value
  if (length >= min && length <= max) return []
  return [{ path, code: 'LENGTH', message: `must have ${min} to ${max} characters.` }]
}
