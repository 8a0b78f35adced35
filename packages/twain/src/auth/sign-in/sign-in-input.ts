// Reads the input of sign-in, renewal and tickets: `{<login field>, password}`, `{<login field>, code, secret}` with or without
// a new password, `{refreshToken}` or `{for}`. It reports all problems at once.

import { canonicalLogin, didYouMean, type Problem, validationError } from '#base'
import { type Named, namesOf } from '#model/names'
import { checkPassword } from '#plan'

export type SignInInput = PasswordInput | { kind: 'refresh'; refreshToken: string } | CodeInput

export interface PasswordInput {
  kind: 'password'
  login: string
  password: string
  /** Of an earlier sign-in. */
  device: string | null
  /** For custom code. */
  captcha: string | null
}

/** A code of a mail, and the secret of whoever asked for it. With a password it resets the password, else it only signs in. */
export interface CodeInput {
  kind: 'code'
  login: string
  code: string
  secret: string
  password: string | null
}

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
  const kind = kindOf(input)
  const expected = expectedOf(kind, loginField)
  const optionalOf = { password: ['device', 'captcha'], code: ['password'], refresh: [] }
  const optional: string[] = optionalOf[kind].filter((name) => Object.hasOwn(input, name))
  const problems: Problem[] = []
  for (const name of Object.keys(input)) {
    if (expected.includes(name) || optional.includes(name)) continue
    const message =
      kind === 'refresh' && [loginField, 'password'].includes(name)
        ? 'must not be combined with refreshToken.'
        : `is unknown.${didYouMean(name, [loginField, 'password', 'code', 'secret', 'device', 'captcha', 'refreshToken', 'for', 'as'])}`
    problems.push({ path: name, code: 'UNKNOWN', message })
  }
  for (const name of expected) problems.push(...problemsOf(name, Object.hasOwn(input, name) ? input[name] : undefined))
  if (kind === 'code' && optional.includes('password')) checkPassword(input.password, 'password', problems)
  if (kind === 'password') for (const name of optional) problems.push(...problemsOf(name, input[name]))
  if (problems.length > 0) throw validationError(problems)
  if (kind === 'refresh') return { kind, refreshToken: input.refreshToken as string }
  const canonical = canonicalLogin(input[loginField] as string)
  if (kind === 'password') {
    const { password, device = null, captcha = null } = input as { password: string; device?: string; captcha?: string }
    return { kind, login: canonical, password, device, captcha }
  }
  const { code, secret, password = null } = input as Record<'code' | 'secret', string> & { password?: string }
  return { kind, login: canonical, code, secret, password }
}

function kindOf(input: Record<string, unknown>): SignInInput['kind'] {
  if (Object.hasOwn(input, 'refreshToken')) return 'refresh'
  return Object.hasOwn(input, 'code') || Object.hasOwn(input, 'secret') ? 'code' : 'password'
}

function expectedOf(kind: SignInInput['kind'], loginField: string): string[] {
  if (kind === 'refresh') return ['refreshToken']
  return kind === 'code' ? [loginField, 'code', 'secret'] : [loginField, 'password']
}

export function underPresentName(input: Record<string, unknown>, login: Named): Record<string, unknown> {
  const used = nameIn(input, login) ?? login.name
  if (used === login.name) return input
  const { [used]: value, ...others } = input
  return { ...others, [login.name]: value }
}

/** The name under which the input has the login. */
export function nameIn(input: object, login: Named): string | undefined {
  return namesOf(login).find((name) => Object.hasOwn(input, name))
}

export function problemsOf(path: string, value: unknown): Problem[] {
  if (value === undefined || value === null) return [{ path, code: 'REQUIRED', message: 'is required.' }]
  if (typeof value !== 'string') return [{ path, code: 'TYPE', message: 'must be a string.' }]
  const { min, max } = path === 'password' ? passwordLength : { min: 1, max: 4096 }
  const { length } = value
  if (length >= min && length <= max) return []
  return [{ path, code: 'LENGTH', message: `must have ${min} to ${max} characters.` }]
}
