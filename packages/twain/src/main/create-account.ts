// Creates the account of an external identity at its first request. The login is
// the claim of the same name, or else the subject. Each unprotected field that has the name of a claim is set too. Access rules do not apply; the caller gets the validation errors.

import type { ExternalIdentity } from '#auth'
import { ApiError, type Problem } from '#base'
import { system, type ViewerClaims } from '#base/http'
import type { Engine } from '#engine'
import { type Account, coversField, type Field, type StoredType } from '#model'
import { claimedDefault, type WritePlan } from '#plan'
import { PlanBuilder, planInput } from '#plan/build'

export async function createAccount(identity: ExternalIdentity, engine: Engine): Promise<string> {
  const account = engine.model.account!
  const of = account.resource
  const builder = new PlanBuilder() // full visibility; an account needs no password here
  try {
    const set = planInput(inputOf(identity, account), of, 'create', builder, '', false)
    builder.finish(engine.limits)
    const { issuer, subject, address } = identity
    const plan: WritePlan = {
      kind: 'write',
      action: 'create',
      of,
      id: null,
      set,
      ifVersion: null,
      identity: { issuer, subject, address },
      answer: [],
    }
    const answer = await engine.execute({ plan, values: builder.values(), places: builder.places }, system)
    if (answer.kind !== 'written') throw new Error(`a create answered with ${answer.kind}`)
    return answer.id
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    const { problems } = error
    if (isTaken(account, problems)) throw loginTaken(account, error)
    throw new ApiError('FORBIDDEN', `No ${of.name} can be created from this token: ${error.message}`, {
      problems,
      cause: error,
    })
  }
}

function isTaken({ login }: Account, problems: readonly Problem[]): boolean {
  return problems.length > 0 && problems.every(({ path, code }) => path === login.name && code === 'UNIQUE')
}

/** Only a verified address joins an existing account, so nobody takes one over with a login that looks like another's. */
function loginTaken({ resource, login }: Account, cause: ApiError): ApiError {
  return new ApiError('CONFLICT', `Another ${resource.name} has the ${login.name} of this token already.`, {
    hint: 'Sign in to that account as before. A token joins an existing account only if its issuer has verified the address.',
    problems: cause.problems,
    cause,
  })
}

function inputOf({ subject, claims, named }: ExternalIdentity, account: Account): Record<string, unknown> {
  const { login, resource } = account
  const fields = [...resource.fields.values()].filter((field) => isSetByClaim(field, account))
  const claimed = fields.filter((field) => claims[field.name] !== undefined && Object.hasOwn(claims, field.name))
  const input = Object.fromEntries(claimed.map((field) => [field.name, claims[field.name]]))
  const chosen = Object.hasOwn(claims, login.name) ? claims[login.name] : undefined
  return {
    ...input,
    ...claimedDefaults(account, named),
    [login.name]: typeof chosen === 'string' && chosen !== '' ? chosen : subject,
  }
}

/** The server itself creates the account, so the defaults of the viewer's token are set here. */
function claimedDefaults({ resource }: Account, named: ViewerClaims | undefined): Record<string, unknown> {
  const claimed = [...resource.fields.values()].flatMap((field) => {
    if (!('defaultClaim' in field)) return []
    const type: StoredType = field.kind === 'stored' ? field.type : { kind: 'scalar', name: 'ID' }
    const value = claimedDefault(field.defaultClaim, type, named?.values)
    return value === undefined ? [] : [[field.name, value] as const]
  })
  return Object.fromEntries(claimed)
}

export function isSetByClaim(field: Field, account: Account): boolean {
  return (
    field.kind === 'stored' &&
    field.name !== 'id' &&
    field.auto === null &&
    field.rules.length === 0 &&
    account.resource.rules.every((rule) => !rule.to.includes('CREATE') || coversField(rule, field)) &&
    field !== account.roles
  )
}
