// Creates the account of an identity at a provider. The claims fill fields of the same name, and the person gives the others.
// The rules are those of an anonymous create: a provider signs up whoever could sign up without it.

import type { ProviderIdentity } from '#auth'
import { ApiError, type Problem, validationError } from '#base'
import { anonymous } from '#base/http'
import type { Engine } from '#engine'
import { type Account, hasAddresses } from '#model'
import type { WritePlan } from '#plan'
import { PlanBuilder, planInput } from '#plan/build'
import { isSetByClaim } from './create-account.ts'

/** Returns the id of the account. Rejects with CONFLICT if another account has the login, or if fields are missing. */
export async function createProviderAccount(
  identity: ProviderIdentity,
  input: Record<string, unknown> | null,
  engine: Engine,
): Promise<string> {
  const account = engine.model.account!
  const of = account.resource
  const { provider, issuer, subject, email, isProven } = identity
  if (account.verification === 'REQUIRED') requireProof(identity, input, account)
  const values = { ...claimedValues(identity, account), ...input }
  try {
    engine.admit({ of, action: 'create' }, anonymous)
    // An account of a provider needs no password, and gets none.
    const builder = new PlanBuilder({ ...engine.visibility(anonymous), account: null })
    checkMembers(values, account, builder)
    const set = planInput(values, of, 'create', builder, '', false)
    builder.finish(engine.limits)
    const plan: WritePlan = {
      kind: 'write',
      action: 'create',
      of,
      id: null,
      set,
      ifVersion: null,
      identity: { provider, issuer, subject, address: isProven ? email : null },
      answer: [],
    }
    const answer = await engine.execute({ plan, values: builder.values(), places: builder.places }, anonymous)
    if (answer.kind !== 'written') throw new Error(`a create answered with ${answer.kind}`)
    return answer.id
  } catch (error) {
    throw error instanceof ApiError ? explained(error, account, provider, input) : error
  }
}

/** An address proven by the provider must be the login: another one is not proven. */
function claimedValues({ email, claims }: ProviderIdentity, account: Account): Record<string, unknown> {
  const { login, resource } = account
  const fields = [...resource.fields.values()].filter((field) => isSetByClaim(field, account) && field !== login)
  const claimed = fields.filter(({ name }) => Object.hasOwn(claims, name) && claims[name] !== null)
  const chosen = hasAddresses(account) ? email : Object.hasOwn(claims, login.name) ? claims[login.name] : null
  return {
    ...Object.fromEntries(claimed.map(({ name }) => [name, claims[name]])),
    ...(typeof chosen === 'string' && { [login.name]: chosen }),
  }
}

/** Nobody can sign in to an account without a login. Rows along with the account would be made without passwords, too. */
function checkMembers(values: Record<string, unknown>, { resource, login }: Account, builder: PlanBuilder): void {
  if (!login.required && (values[login.name] ?? null) === null) {
    builder.problem(login.name, 'REQUIRED', 'is required.')
  }
  for (const name of Object.keys(values)) {
    const field = resource.fields.get(name.replace(/^_/, ''))
    if (field === undefined || field.kind === 'stored' || field.kind === 'reference') continue
    builder.problem(name, 'READONLY', 'can be written after the sign-in.')
  }
}

function explained(
  error: ApiError,
  account: Account,
  provider: string,
  input: Record<string, unknown> | null,
): ApiError {
  const { resource, login } = account
  const { problems, code } = error
  const isTaken = problems.some(({ path, code: detail }) => path === login.name && detail === 'UNIQUE')
  if (isTaken) return loginTaken(account, provider, problems, error)
  const inside = problems.map((problem) => ({ ...problem, path: `input.${problem.path}` }))
  if (code !== 'VALIDATION_FAILED') {
    if (!['UNAUTHENTICATED', 'FORBIDDEN'].includes(code)) return error
    return new ApiError('FORBIDDEN', `No ${resource.name} belongs to this identity, and none can be created.`, {
      hint: `The rules of ${resource.name} let nobody sign up this way. Ask for an account, then link the identity: POST /identities (createIdentity).`,
      cause: error,
    })
  }
  const isSent = ({ path }: Problem) => input !== null && Object.hasOwn(input, path.split('.')[0]!)
  if (problems.some(isSent)) return validationError(inside)
  return new ApiError('CONFLICT', `A new ${resource.name} lacks fields that ${provider} does not give.`, {
    hint: 'Send POST /tokens (createToken) again within ten minutes, with the same code and verifier, and the fields as input.',
    problems: inside,
    cause: error,
  })
}

function loginTaken({ resource, login }: Account, provider: string, problems: Problem[], cause: ApiError): ApiError {
  return new ApiError('CONFLICT', `Another ${resource.name} has this ${login.name} already.`, {
    hint: `Sign in as before, then link ${provider}: POST /identities (createIdentity).`,
    problems,
    cause,
  })
}

/** Another address than the proven one would make an account that nobody has proven. */
function requireProof(
  { provider, isProven }: ProviderIdentity,
  input: Record<string, unknown> | null,
  account: Account,
): void {
  if (!isProven) throw unprovenAddress(account, provider)
  const { name } = account.login
  if (input === null || !Object.hasOwn(input, name)) return
  throw validationError([{ path: `input.${name}`, code: 'READONLY', message: `is the one that ${provider} proves.` }])
}

function unprovenAddress({ resource, login }: Account, provider: string): ApiError {
  return new ApiError(
    'CONFLICT',
    `A ${resource.name} needs a proven ${login.name}, and ${provider} does not prove it.`,
    {
      hint: `Sign up with the ${login.name}, then link ${provider}: POST /identities (createIdentity).`,
    },
  )
}
