// Ends many sessions at once: all others of the viewer's account, or all of an account that an administrator names.
//
// Without a name it is always the viewer's own account, also for administrators: "sign out everywhere else" must not sign out
// everybody.

import { ApiError, didYouMean, type Problem, validationError } from '#base'
import type { Viewer } from '#base/http'
import type { CredentialStore } from '#store'
import { signInFirst } from '../auth-errors.ts'

/** What a request says about which sessions to end. */
interface EndSessionsInput {
  /** False: all but that of the request. Null: the request says `all`. */
  current: false | null
  /** Null: that of the viewer. */
  account: string | null
}

/** Ends sessions within a second, on all nodes, and returns their ids. */
export async function endSessions(
  input: Record<string, unknown>,
  viewer: Viewer,
  credentials: Pick<CredentialStore, 'revokeTokens'>,
  now: number,
): Promise<string[]> {
  if (!viewer.authenticated) throw signInFirst()
  const { current, account: named } = readInput(input, viewer)
  const account = named ?? viewer.account!
  if (account !== viewer.account && !viewer.roles.includes('admin')) throw notYours()
  return credentials.revokeTokens(account, current === false ? viewer.token : null, now)
}

const members = ['current', 'all', 'account']

function readInput(input: Record<string, unknown>, viewer: Viewer): EndSessionsInput {
  const { current = null, all = null, account = null } = input
  const problems: Problem[] = Object.keys(input)
    .filter((name) => !members.includes(name))
    .map((path) => ({ path, code: 'UNKNOWN', message: `is unknown.${didYouMean(path, members)}` }))
  if (current !== null && current !== false) {
    const message = 'must be false: all sessions but that of this request. DELETE /tokens/{id} ends a single one.'
    problems.push({ path: 'current', code: 'UNKNOWN', message })
  }
  if (all !== null && all !== true) problems.push({ path: 'all', code: 'UNKNOWN', message: 'must be true.' })
  if (current !== null && all !== null) {
    problems.push({ path: 'all', code: 'UNKNOWN', message: 'must not be combined with current.' })
  }
  if (current === null && all === null) {
    const message = 'is required: false ends all sessions but that of this request. Or send all=true for every one.'
    problems.push({ path: 'current', code: 'REQUIRED', message })
  }
  if (account !== null && (typeof account !== 'string' || account === '')) {
    problems.push({ path: 'account', code: 'TYPE', message: 'must be the id of an account.' })
  }
  if (account === null && viewer.account === null) {
    problems.push({ path: 'account', code: 'REQUIRED', message: 'is required: this token has no account.' })
  }
  if (problems.length > 0) throw validationError(problems)
  return { current: current === false ? false : null, account: account as string | null }
}

function notYours(): ApiError {
  return new ApiError('FORBIDDEN', 'You may end the sessions of your own account only.', {
    hint: 'Leave account out, or use a token with the role admin.',
  })
}
