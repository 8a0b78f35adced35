// Reads the input of a sign-in with a provider: `{code, verifier}`, with `input` for what a new account lacks; and of the link of
// another identity, `{code, verifier}` with or without `currentPassword`. It reports all problems at once.

import { hash } from 'node:crypto'
import { didYouMean, isRecord, type Problem, validationError } from '#base'
import { problemsOf } from '../sign-in/sign-in-input.ts'

/** What the application sends to use the code that it got. */
export interface ProviderCodeInput {
  code: string
  /** S256 of the verifier: what the application sent at the beginning, if it is the same one. */
  challenge: string
}

export interface ProviderSignInInput extends ProviderCodeInput {
  /** Fields of a new account; null without any. */
  input: Record<string, unknown> | null
}

export interface IdentityInput extends ProviderCodeInput {
  currentPassword: string | null
}

/** Only a sign-in with a provider has these. */
export function isProviderInput(input: Record<string, unknown>): boolean {
  return Object.hasOwn(input, 'verifier') || Object.hasOwn(input, 'input')
}

export function readProviderSignIn(sent: Record<string, unknown>): ProviderSignInInput {
  const { read, problems } = readCode(sent, 'input')
  const { input = null } = sent
  if (input !== null && !isRecord(input)) {
    problems.push({ path: 'input', code: 'TYPE', message: 'must be an object with fields of the account.' })
  }
  if (problems.length > 0) throw validationError(problems)
  return { ...read, input: input as Record<string, unknown> | null }
}

export function readIdentityInput(sent: Record<string, unknown>): IdentityInput {
  const { read, problems } = readCode(sent, 'currentPassword')
  const { currentPassword = null } = sent
  if (currentPassword !== null) problems.push(...problemsOf('currentPassword', currentPassword))
  if (problems.length > 0) throw validationError(problems)
  return { ...read, currentPassword: currentPassword as string | null }
}

function readCode(sent: Record<string, unknown>, optional: string) {
  const expected = ['code', 'verifier']
  const known = [...expected, optional]
  const problems: Problem[] = Object.keys(sent)
    .filter((name) => !known.includes(name))
    .map((path) => ({ path, code: 'UNKNOWN', message: `is unknown.${didYouMean(path, known)}` }))
  for (const name of expected) problems.push(...problemsOf(name, Object.hasOwn(sent, name) ? sent[name] : undefined))
  const { code, verifier } = sent
  return {
    read: { code: String(code), challenge: hash('sha256', String(verifier), 'base64url') },
    problems,
  }
}
