// `POST /codes` (docs/reference/rest.md, R205–R208), the page behind the link of a mail, and the mails that `twain dev` keeps. This file
// translates to and from HTTP; the module auth decides. No response may be cached.

import type { Codes } from '#auth'
import { ApiError, isRecord, validationError } from '#base'
import { decodeBody, type HttpReply, type HttpRequest, readContentType } from '#base/http'
import { keptMails, type Mailbox } from '#mail'
import { representOptions } from '../represent/represent.ts'
import { acceptJson } from '../request/accept.ts'
import { readJsonBody } from '../request/body.ts'
import { expectNoParameters } from '../request/query-string.ts'
import { allowedMethod } from '../request/route.ts'
import { failedPage, messagePage, pageHeaders, resetPage } from './code-page.ts'

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }

/** The page behind links. The token is a parameter, because the log has paths. */
const linkPath = '/codes/link'

const routes = {
  '/codes': { methods: ['POST', 'OPTIONS'] },
  [linkPath]: { methods: ['GET', 'HEAD', 'POST', 'OPTIONS'] },
  '/mails': { methods: ['GET', 'HEAD', 'OPTIONS'] },
} as const

export function isCodePath(path: string): path is keyof typeof routes {
  return Object.hasOwn(routes, path)
}

export class CodeHandler {
  readonly #codes: Codes
  readonly #mailbox: Mailbox | null

  /** `mailbox` is null if the service keeps no mails. */
  constructor(codes: Codes, mailbox: Mailbox | null) {
    this.#codes = codes
    this.#mailbox = mailbox
  }

  async answer(request: HttpRequest): Promise<HttpReply> {
    const route = routes[request.path as keyof typeof routes]
    const method = allowedMethod(request.method, route)
    if (method === 'OPTIONS') return representOptions(route)
    if (request.path === linkPath) return method === 'POST' ? this.#useLink(request) : this.#showLink(request)
    acceptJson(request)
    expectNoParameters(request)
    return method === 'POST' ? this.#create(request) : this.#listMails()
  }

  async #create(request: HttpRequest): Promise<HttpReply> {
    const body = await readJsonBody(request)
    if (!isRecord(body)) {
      throw validationError([{ path: '', code: 'TYPE', message: 'must be an object with a purpose and an address.' }])
    }
    return { status: 202, headers: { ...jsonHeaders }, body: JSON.stringify(await this.#codes.create(body)) }
  }

  #listMails(): HttpReply {
    return { status: 200, headers: { ...jsonHeaders }, body: JSON.stringify(keptMails(this.#mailbox)) }
  }

  /** Programs that check mails open their links, so looking changes nothing. */
  async #showLink(request: HttpRequest): Promise<HttpReply> {
    const purpose = await this.#codes.linkPurpose(tokenOf(request))
    return purpose === 'RESET' ? htmlReply(200, resetPage(null)) : htmlReply(410, failedPage)
  }

  async #useLink(request: HttpRequest): Promise<HttpReply> {
    try {
      await this.#codes.resetByLink(tokenOf(request), await readPassword(request), request.address)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.code === 'UNAUTHENTICATED') return htmlReply(410, failedPage)
      const [problem] = error.problems
      if (problem === undefined) throw error
      return htmlReply(400, resetPage(`The password ${problem.message}`))
    }
    return htmlReply(
      200,
      messagePage('Your password is set', 'All sessions have ended. Sign in with the new password.'),
    )
  }
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
