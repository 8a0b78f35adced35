// `/invitations` (docs/reference/rest.md, R275–R278). This file plans the create and translates; the module auth decides. No
// response may be cached.

import { type Tokens, unknownInvitation } from '#auth'
import { isRecord, validationError } from '#base'
import type { HttpReply, HttpRequest, Viewer } from '#base/http'
import type { Engine } from '#engine'
import { invitationPath } from '#model/names'
import { planNewAccount } from '#plan/build'
import { representOptions } from '../represent/represent.ts'
import { acceptJson } from '../request/accept.ts'
import { readJsonBody, readOptionalJsonBody } from '../request/body.ts'
import { expectNoParameters } from '../request/query-string.ts'
import { allowedMethod } from '../request/route.ts'

const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }

const collection = `/${invitationPath}`
/** One invitation, and below it another mail of it. No character of an id is encoded. */
const itemPattern = /^\/invitations\/(?<id>[^/]+)(?<mails>\/mails)?$/
const routes = {
  collection: { methods: ['GET', 'HEAD', 'POST', 'OPTIONS'] },
  item: { methods: ['DELETE', 'OPTIONS'] },
  mails: { methods: ['POST', 'OPTIONS'] },
} as const

export function isInvitationPath(path: string): boolean {
  return path === collection || itemPattern.test(path)
}

type Invitations = NonNullable<Tokens['invitations']>

export class InvitationHandler {
  readonly #invitations: Invitations
  readonly #engine: Engine

  constructor(invitations: Invitations, engine: Engine) {
    this.#invitations = invitations
    this.#engine = engine
  }

  async answer(request: HttpRequest, viewer: Viewer): Promise<HttpReply> {
    const { id, mails } = itemPattern.exec(request.path)?.groups ?? {}
    const route = id === undefined ? routes.collection : mails === undefined ? routes.item : routes.mails
    const method = allowedMethod(request.method, route)
    if (method === 'OPTIONS') return representOptions(route)
    expectNoParameters(request)
    if (method === 'DELETE') return this.#delete(id!, viewer)
    acceptJson(request)
    if (method === 'POST') return id === undefined ? this.#create(request, viewer) : this.#resend(id, request, viewer)
    return { status: 200, headers: { ...headers }, body: JSON.stringify(await this.#invitations.list(viewer)) }
  }

  async #create(request: HttpRequest, viewer: Viewer): Promise<HttpReply> {
    this.#invitations.admit(viewer)
    const input = await readJsonBody(request)
    if (!isRecord(input)) {
      throw validationError([{ path: '', code: 'TYPE', message: 'must be an object with the fields of the account.' }])
    }
    const of = this.#engine.model.account!.resource
    const boundPlan = planNewAccount(input, of, this.#engine.visibility(viewer), this.#engine.limits)
    const { invitation } = await this.#invitations.create(boundPlan, input, viewer, request.context)
    const location = `${collection}/${invitation.id}`
    return { status: 201, headers: { ...headers, location }, body: JSON.stringify(invitation) }
  }

  async #resend(id: string, request: HttpRequest, viewer: Viewer): Promise<HttpReply> {
    this.#invitations.admit(viewer)
    expectNoMembers(await readOptionalJsonBody(request))
    return { status: 200, headers: { ...headers }, body: JSON.stringify(await this.#invitations.resend(id, viewer)) }
  }

  async #delete(id: string, viewer: Viewer): Promise<HttpReply> {
    if (await this.#invitations.delete(id, viewer))
      return { status: 204, headers: { 'cache-control': 'no-store' }, body: null }
    throw unknownInvitation(id)
  }
}

/** The invitation stays as it is, so there is nothing to say. */
function expectNoMembers(body: unknown): void {
  if (body === undefined) return
  if (!isRecord(body)) throw validationError([{ path: '', code: 'TYPE', message: 'must be an empty object.' }])
  const message = 'is not a member; the body is empty.'
  const problems = Object.keys(body).map((path) => ({ path, code: 'UNKNOWN' as const, message }))
  if (problems.length > 0) throw validationError(problems)
}
