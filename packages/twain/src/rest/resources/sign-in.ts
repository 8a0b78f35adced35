// `POST /tokens`: signing in, refreshing, acting as somebody, tickets for streams (docs/reference/rest.md, R80–R84, R132). This file translates to and
// from HTTP; the module auth decides. No response may be cached. Reads and deletes of tokens are those of any row.

import type { Tokens } from '#auth'
import { isRecord, validationError } from '#base'
import { clientOf, type HttpReply, type HttpRequest, type Viewer } from '#base/http'
import { acceptJson } from '../request/accept.ts'
import { readJsonBody } from '../request/body.ts'
import { readIdempotentRequest } from '../request/idempotent-request.ts'
import { expectNoParameters } from '../request/query-string.ts'

/** `recordNames` notes the names of the schema that the request uses: one of them may be deprecated. */
export async function signIn(
  request: HttpRequest,
  tokens: Tokens,
  recordNames: (paths: readonly string[]) => void,
): Promise<HttpReply> {
  acceptJson(request)
  expectNoParameters(request)
  const input = expectObject(await readJsonBody(request))
  if (tokens.isTicketInput(input)) {
    // Sign-in needs no authentication but a ticket does: it is checked here.
    const { ticket, expiresAt } = await tokens.makeTicket(input, () => tokens.viewerOf(request))
    return { status: 201, headers: { ...headers }, body: JSON.stringify({ ticket, expiresAt }) }
  }
  if (tokens.isActingInput(input)) {
    const { id, token, expiresAt, readOnly } = await tokens.actAs(input, () => tokens.viewerOf(request))
    const body = JSON.stringify({ id, token, expiresAt, readOnly })
    return { status: 201, headers: { ...headers, location: `/tokens/${id}` }, body }
  }
  const login = tokens.loginPath(input)
  if (login !== null) recordNames([login])
  const made = await tokens.signIn(input, request.address, clientOf(request.headers))
  return { status: 201, headers: { ...headers, location: `/tokens/${made.id}` }, body: JSON.stringify(made) }
}

/** `POST /identities`: another way to sign in to the viewer's account. */
export async function linkIdentity(request: HttpRequest, tokens: Tokens, viewer: Viewer): Promise<HttpReply> {
  acceptJson(request)
  expectNoParameters(request)
  const { idempotencyKey, request: sent } = await readIdempotentRequest(request, viewer, `POST ${request.path}`)
  const input = expectObject(await readJsonBody(sent), 'a code and a verifier')
  const { identity, replayed } = await tokens.linkIdentity(input, viewer, idempotencyKey)
  const location = { location: `/identities/${identity.id}` }
  const again = replayed ? { 'idempotent-replayed': 'true' } : {}
  return { status: 201, headers: { ...headers, ...location, ...again }, body: JSON.stringify(identity) }
}

const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }

function expectObject(body: unknown, members = 'a login and a password'): Record<string, unknown> {
  if (isRecord(body)) return body
  throw validationError([{ path: '', code: 'TYPE', message: `must be an object with ${members}.` }])
}
