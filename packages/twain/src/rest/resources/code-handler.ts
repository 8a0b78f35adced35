// `POST /codes` and `POST /verifications` (docs/reference/rest.md, R205–R208, R230–R232), the page behind the link of a mail, and the mails that `twain dev` keeps. This file
// translates to and from HTTP; the module auth decides. No response may be cached.

import type { Codes } from '#auth'
import { ApiError, isRecord, validationError } from '#base'
import { decodeBody, type HttpReply, type HttpRequest, readContentType, type Viewer } from '#base/http'
import { keptMails, type Mailbox } from '#mail'
import type { Account } from '#model'
import type { SignUp } from '#plan'
import { representOptions } from '../represent/represent.ts'
import { acceptJson } from '../request/accept.ts'
import { readJsonBody } from '../request/body.ts'
import { expectNoParameters } from '../request/query-string.ts'
import { allowedMethod } from '../request/route.ts'
import { donePage, failedPage, linkPage, pageHeaders } from './code-page.ts'

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }

/** The page behind links. The token is a parameter, because the log has paths. */
const linkPath = '/codes/link'

const routes = {
  '/codes': { methods: ['POST', 'OPTIONS'] },
  '/verifications': { methods: ['POST', 'OPTIONS'] },
  [linkPath]: { methods: ['GET', 'HEAD', 'POST', 'OPTIONS'] },
  '/mails': { methods: ['GET', 'HEAD', 'OPTIONS'] },
} as const

export function isCodePath(path: string, { verification }: Account): boolean {
  return Object.hasOwn(routes, path) && (verification !== 'OFF' || path !== '/verifications')
}

/** Creates the account of a sign-up; the reply is that of its create. */
type CreateSignedUpRow = (
  request: HttpRequest,
  input: Record<string, unknown>,
  signUp: SignUp,
) => Promise<{ id: string; reply: HttpReply }>

export class CodeHandler {
  readonly #codes: Codes
  readonly #mailbox: Mailbox | null
  readonly #createSignedUp: CreateSignedUpRow

  /** `mailbox` is null if the service keeps no mails. */
  constructor(codes: Codes, mailbox: Mailbox | null, createSignedUp: CreateSignedUpRow) {
    this.#codes = codes
    this.#mailbox = mailbox
    this.#createSignedUp = createSignedUp
  }

  async answer(request: HttpRequest, viewer: Viewer): Promise<HttpReply> {
    const route = routes[request.path as keyof typeof routes]
    const method = allowedMethod(request.method, route)
    if (method === 'OPTIONS') return representOptions(route)
    if (request.path === linkPath) return method === 'POST' ? this.#useLink(request) : this.#showLink(request)
    acceptJson(request)
    expectNoParameters(request)
    if (request.path === '/verifications') return this.#verify(request, viewer)
    return method === 'POST' ? this.#create(request) : this.#listMails()
  }

  async #create(request: HttpRequest): Promise<HttpReply> {
    const made = await this.#codes.create(await readObject(request, 'a purpose and an address'), request.address)
    return { status: 202, headers: { ...jsonHeaders }, body: JSON.stringify(made) }
  }

  async #verify(request: HttpRequest, viewer: Viewer): Promise<HttpReply> {
    let created: HttpReply | null = null
    const input = await readObject(request, 'an address, a code and a secret')
    const verified = await this.#codes.verify(input, viewer, request.address, async (row, signUp) => {
      const { id, reply } = await this.#createSignedUp(request, row, signUp)
      created = reply
      return id
    })
    if (created !== null) return created
    return { status: 201, headers: { ...jsonHeaders }, body: JSON.stringify(verified) }
  }

  #listMails(): HttpReply {
    return { status: 200, headers: { ...jsonHeaders }, body: JSON.stringify(keptMails(this.#mailbox)) }
  }

  /** Programs that check mails open their links, so looking changes nothing. */
  async #showLink(request: HttpRequest): Promise<HttpReply> {
    const purpose = await this.#codes.linkPurpose(tokenOf(request))
    return purpose === null ? htmlReply(410, failedPage) : htmlReply(200, linkPage(purpose, null))
  }

  async #useLink(request: HttpRequest): Promise<HttpReply> {
    const token = tokenOf(request)
    const password = await readPassword(request)
    try {
      return htmlReply(200, donePage(await this.#codes.useLink(token, password, request.address), password !== ''))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.code === 'UNAUTHENTICATED') return htmlReply(410, failedPage)
      const [problem] = error.problems
      const purpose = problem === undefined ? null : await this.#codes.linkPurpose(token)
      if (problem === undefined || purpose === null) throw error
      const isPassword = problem.path === 'password'
      const mistake = isPassword ? `The password ${problem.message}` : error.message
      return htmlReply(error.status, linkPage(purpose, mistake))
    }
  }
}

async function readObject(request: HttpRequest, members: string): Promise<Record<string, unknown>> {
  const body = await readJsonBody(request)
  if (isRecord(body)) return body
  throw validationError([{ path: '', code: 'TYPE', message: `must be an object with ${members}.` }])
}

function htmlReply(status: number, body: string): HttpReply {
  return { status, headers: { ...pageHeaders }, body }
}

function tokenOf({ query }: HttpRequest): string {
  return new URLSearchParams(query).get('token') ?? ''
}

const formType = 'application/x-www-form-urlencoded'

async function readPassword(request: HttpRequest): Promise<string> {
  const sent = request.headers['content-type']
  if (sent === undefined || readContentType(sent).type !== formType) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'This page takes its own form.', {
      hint: `Send it with "Content-Type: ${formType}", or use the code with POST /tokens (createToken).`,
      headers: { accept: formType },
    })
  }
  return new URLSearchParams(decodeBody(await request.body())).get('password') ?? ''
}
