// Creates the account of an external identity at its first request. It sets the login, and each unprotected field that has the
// name of a claim. Access rules do not apply; the caller gets the validation errors.

import type { ExternalIdentity } from '#auth'
import { ApiError } from '#base'
import { system } from '#base/http'
import type { Engine } from '#engine'
import type { Account, Field } from '#model'
import type { WritePlan } from '#plan'
import { PlanBuilder, planInput } from '#plan/build'

export async function createAccount(identity: ExternalIdentity, engine: Engine): Promise<string> {
  const account = engine.model.account!
  const of = account.resource
  const builder = new PlanBuilder() // full visibility; an account needs no password here
  try {
    const set = planInput(inputOf(identity, account), of, 'create', builder, '', false)
    builder.finish(engine.limits)
    const plan: WritePlan = { kind: 'write', action: 'create', of, id: null, set, ifVersion: null, answer: [] }
    const answer = await engine.execute({ plan, values: builder.values(), places: builder.places }, system)
    if (answer.kind !== 'written') throw new Error(`a create answered with ${answer.kind}`)
    return answer.id
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    const { problems } = error
    throw new ApiError('FORBIDDEN', `No ${of.name} can be created from this token: ${error.message}`, {
      problems,
      cause: error,
    })
  }
}

function inputOf({ claimedLogin: name, claims }: ExternalIdentity, account: Account): Record<string, unknown> {
  const fields = [...account.resource.fields.values()].filter((field) => isSetByClaim(field, account))
  const claimed = fields.filter((field) => claims[field.name] !== undefined && Object.hasOwn(claims, field.name))
  return Object.fromEntries([
    ...claimed.map((field) => [field.name, claims[field.name]] as const),
    [account.login.name, name] as const,
  ])
}

function isSetByClaim(field: Field, account: Account): boolean {
  return (
    field.kind === 'stored' &&
    field.name !== 'id' &&
    field.auto === null &&
    field.rules.length === 0 &&
    field !== account.roles
  )
}
