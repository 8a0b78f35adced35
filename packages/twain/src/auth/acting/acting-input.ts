// Reads the input of a session in which somebody acts: `{as, readOnly, reason}`. It reports all problems at once.

import { didYouMean, isRecord, type Problem, validationError } from '#base'

/** As whom somebody acts. */
export type ActingTarget = { account: string; role: null } | { account: null; role: string }

export interface ActingInput {
  target: ActingTarget
  readOnly: boolean
  reason: string | null
}

const maxReasonLength = 500

/** `{"as": …}` requests a session that acts, instead of one of one's own. */
export function isActingInput(input: Record<string, unknown>): boolean {
  return members.some((name) => Object.hasOwn(input, name))
}

/** `roles` are those that somebody could act as. */
export function readActingInput(input: Record<string, unknown>, roles: ReadonlySet<string>): ActingInput {
  const problems: Problem[] = Object.keys(input)
    .filter((name) => !members.includes(name))
    .map((path) => ({ path, code: 'UNKNOWN', message: `must not be combined with as.${didYouMean(path, members)}` }))
  const target = readTarget(input.as, roles, problems)
  const { readOnly = null, reason = null } = input
  if (readOnly !== null && typeof readOnly !== 'boolean') {
    problems.push({ path: 'readOnly', code: 'TYPE', message: 'must be true or false.' })
  }
  if (reason !== null && typeof reason !== 'string') {
    problems.push({ path: 'reason', code: 'TYPE', message: 'must be a string.' })
  } else if (reason !== null && (reason.trim() === '' || reason.length > maxReasonLength)) {
    problems.push({ path: 'reason', code: 'LENGTH', message: `must have 1 to ${maxReasonLength} characters.` })
  } else if (reason === null && readOnly === false) {
    const message = 'is required to write: it says why. Or leave readOnly out, to read.'
    problems.push({ path: 'reason', code: 'REQUIRED', message })
  }
  if (problems.length > 0) throw validationError(problems)
  return {
    target: target!,
    readOnly: typeof readOnly === 'boolean' ? readOnly : reason === null,
    reason: reason as string | null,
  }
}

const members = ['as', 'readOnly', 'reason']

/** The id of an account, `{account}` or `{role}`. Null after a problem. */
function readTarget(sent: unknown, roles: ReadonlySet<string>, problems: Problem[]): ActingTarget | null {
  if (typeof sent === 'string' && sent !== '') return { account: sent, role: null }
  if (sent === undefined || sent === null) {
    problems.push({ path: 'as', code: 'REQUIRED', message: 'is required: as whom to act.' })
    return null
  }
  if (!isRecord(sent)) {
    const message = 'must be the id of an account, {"account": "…"} or {"role": "…"}.'
    problems.push({ path: 'as', code: 'TYPE', message })
    return null
  }
  const named = Object.entries(sent).filter(([, value]) => value !== null)
  for (const [name] of named) {
    if (name === 'account' || name === 'role') continue
    problems.push({
      path: `as.${name}`,
      code: 'UNKNOWN',
      message: `is unknown.${didYouMean(name, ['account', 'role'])}`,
    })
  }
  const { account, role } = Object.fromEntries(named)
  if ((account === undefined) === (role === undefined)) {
    problems.push({ path: 'as', code: 'REQUIRED', message: 'must have either account or role.' })
    return null
  }
  if (account !== undefined) {
    if (typeof account === 'string' && account !== '') return { account, role: null }
    problems.push({ path: 'as.account', code: 'TYPE', message: 'must be the id of an account.' })
    return null
  }
  if (typeof role === 'string' && roles.has(role)) return { account: null, role }
  const message = `is no role that the schema names.${typeof role === 'string' ? didYouMean(role, [...roles]) : ''}`
  problems.push({ path: 'as.role', code: typeof role === 'string' ? 'UNKNOWN' : 'TYPE', message })
  return null
}
