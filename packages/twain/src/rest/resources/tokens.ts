// `/tokens`: signing in, refreshing, tickets for streams, listing and deleting tokens (docs/reference/rest.md, R80–R85, R132).
// This file translates to and from HTTP; the module auth decides. No response may be cached.

import type { Tokens } from '#auth'
import { ApiError, isRecord, unreachable, validationError } from '#base'
import { type HttpReply, type HttpRequest, pageTag, type Viewer } from '#base/http'
import { representOptions, representUncached } from '../represent/represent.ts'
import { acceptJson } from '../request/accept.ts'
import { readJsonBody } from '../request/body.ts'
import { decodePercentOrFail, expectNoParameters } from '../request/query-string.ts'
import { allowedMethod } from '../request/route.ts'

const collection = { methods: ['GET', 'HEAD', 'POST', 'OPTIONS'] } as const
const item = { methods: ['DELETE', 'OPTIONS'] } as const

const pathForm = /^\/tokens(?:\/([^/]+))?$/

export function isTokenPath(path: string): boolean {
  return pathForm.test(path)
}

/** `recordNames` notes the names of the schema that the request uses: one of them may be deprecated. */
export function answerTokens(
  request: HttpRequest,
  viewer: Viewer,
  tokens: Tokens,
  recordNames: (paths: readonly string[]) => void,
): Promise<HttpReply> | HttpReply {
  const id = pathForm.exec(request.path)?.[1]
  if (id !== undefined) return answerToken(request, decodePercentOrFail(id, 'The path'), viewer, tokens)
  const method = allowedMethod(request.method, collection)
  if (method === 'OPTIONS') return representOptions(collection)
  acceptJson(request)
  expectNoParameters(request)
  switch (method) {
    case 'POST':
      return signIn(request, tokens, recordNames)
    case 'GET':
    case 'HEAD':
      return list(request, viewer, tokens)
    default:
      return unreachable(method)
  }
}

async function signIn(
  request: HttpRequest,
  tokens: Tokens,
  recordNames: (paths: readonly string[]) => void,
): Promise<HttpReply> {
  const input = expectObject(await readJsonBody(request))
  if (tokens.isTicketInput(input)) {
    // Sign-in needs no authentication but a ticket does: it is checked here.
    const { ticket, expiresAt } = await tokens.makeTicket(input, () => tokens.viewerOf(request))
    return { status: 201, headers: { ...headers }, body: JSON.stringify({ ticket, expiresAt }) }
  }
  const login = tokens.loginPath(input)
  if (login !== null) recordNames([login])
  const made = await tokens.signIn(input, request.address)
  return { status: 201, headers: { ...headers, location: `/tokens/${made.id}` }, body: JSON.stringify(made) }
}

async function list(request: HttpRequest, viewer: Viewer, tokens: Tokens): Promise<HttpReply> {
  const text = JSON.stringify(await tokens.list(viewer))
  return representUncached(request, text, pageTag(text))
}

async function answerToken(request: HttpRequest, id: string, viewer: Viewer, tokens: Tokens): Promise<HttpReply> {
  if (allowedMethod(request.method, item) === 'OPTIONS') return representOptions(item)
  expectNoParameters(request)
  if (await tokens.end(viewer, id)) return { status: 204, headers: { 'cache-control': 'no-store' }, body: null }
  throw new ApiError('NOT_FOUND', `There is no Token with the id "${id}".`)
}

const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }

function expectObject(body: unknown): Record<string, unknown> {
  if (isRecord(body)) return body
  throw validationError([{ path: '', code: 'TYPE', message: 'must be an object with a login and a password.' }])
}
