// What a viewer may do with a row, for the role admin: `GET /posts/{id}/access` and `rowAccess` in GraphQL. The adapters find the row,
// as the asker may read it; this file decides who may ask, and as whom.

import { type ApiError, didYouMean, type Problem, validationError } from '#base'
import { anonymous, isSystem, requireAdmin, type Viewer } from '#base/http'
import type { Engine } from '#engine'
import type { Model, Resource } from '#model'
import { isUnrestricted } from '#plan'
import { PlanBuilder } from '#plan/build'
import { type AccessAnswer, viewerKinds } from '#plan/explain'
import type { Tokens } from './tokens.ts'

export interface RowAccess {
  viewer: AccessViewer
  answers: AccessAnswer[]
}

/** Of whom the answers are. */
interface AccessViewer {
  account: string | null
  roles: readonly string[]
  verified: boolean
  /** A locked account can't sign in, so nothing is allowed. */
  locked: boolean
}

interface AccessSubject {
  viewer: Viewer
  isLocked: boolean
}

/** Throws if the viewer may not ask. */
export function admitAccess(viewer: Viewer, model: Model): void {
  if (!isUnrestricted(model)) requireAdmin(viewer, 'Explanations of rights need the role admin.')
}

/** `as`: `nobody`, `role:<name>` or `account:<id>`; null: the asker. `place` is where the request has it. */
export async function rowAccess(
  row: { of: Resource; id: string },
  as: { text: string | null; place: string },
  asker: Viewer,
  { engine, tokens }: { engine: Engine; tokens: Tokens | null },
): Promise<RowAccess> {
  const subject = as.text === null ? { viewer: ownViewer(asker), isLocked: false } : await subjectOf(as.text)
  const { viewer, isLocked } = subject
  const answers = await engine.access(row.of, row.id, viewer, asker)
  return {
    viewer: {
      account: viewer.account,
      roles: viewer.roles,
      verified: viewer.verified === true,
      locked: isLocked,
    },
    answers: isLocked ? answers.map(lockedAnswer) : answers,
  }

  async function subjectOf(text: string): Promise<AccessSubject> {
    const [, kind, name] = /^(account|role):(.+)$/.exec(text) ?? []
    if (text === 'nobody') return { viewer: anonymous, isLocked: false }
    if (kind === 'role') return { viewer: roleViewer(name!), isLocked: false }
    if (kind === 'account') return accountOf(name!)
    const forms = engine.model.account === null ? 'nobody or role:<name>' : 'nobody, role:<name> or account:<id>'
    throw problem('PATTERN', `must be ${forms}.`)
  }

  /** As an API key with this role. */
  function roleViewer(role: string): Viewer {
    const roles = new Set(['admin', ...viewerKinds(engine.model).flatMap((one) => one.roles)])
    if (!roles.has(role)) {
      throw problem('UNKNOWN', `names the role "${role}", which no rule has.${didYouMean(role, [...roles])}`)
    }
    return { account: null, roles: [role], authenticated: true, token: null }
  }

  /** Only of an account whose row the asker may read: the answer has its roles. */
  async function accountOf(id: string): Promise<AccessSubject> {
    const { account } = engine.model
    const missing = () => problem('REFERENCE', `names no ${account?.resource.name ?? 'account'} that you can read.`)
    if (account === null || tokens === null) throw missing()
    const builder = new PlanBuilder(engine.visibility(asker))
    const parameter = builder.parameter({ kind: 'type', type: { kind: 'scalar', name: 'ID' } }, id, as.place)
    const read = builder.bind({ kind: 'one', of: account.resource, id: parameter, selections: [] })
    const found = await engine.execute(read, asker)
    if (found.kind !== 'one' || found.text === null) throw missing()
    const rights = await tokens.rightsOf(id)
    const viewer: Viewer = { account: id, roles: [], ...rights, authenticated: true, token: null }
    return { viewer, isLocked: rights === null }
  }

  function problem(code: Problem['code'], message: string): ApiError {
    return validationError([{ path: as.place, code, message }])
  }
}

/** No rules apply to the server itself: it asks as its operators. */
function ownViewer(asker: Viewer): Viewer {
  return isSystem(asker) ? { ...anonymous, roles: ['admin'], authenticated: true } : asker
}

function lockedAnswer(answer: AccessAnswer): AccessAnswer {
  return { ...answer, allowed: false, because: 'The account is locked, so it can not sign in.' }
}
