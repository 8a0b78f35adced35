// `GET /sign-in/{provider}` and its callback (docs/reference/rest.md, R240–R246). A browser makes these requests, not the
// application. This file translates to and from HTTP; the module auth decides. No response may be cached.

import type { BrowserStep, Providers } from '#auth'
import { ApiError } from '#base'
import { decodeBody, type HttpReply, type HttpRequest, readContentType } from '#base/http'
import { representOptions } from '../represent/represent.ts'
import { allowedMethod } from '../request/route.ts'
import { pageHeaders, signInFailedPage } from './code-page.ts'

const pathPattern = /^\/sign-in\/([a-z][a-z0-9-]*)(\/callback)?$/
const formType = 'application/x-www-form-urlencoded'

/** A callback is a code, a state and a name. */
const maxFormBytes = 8192

export function isProviderPath(path: string): boolean {
  return pathPattern.test(path)
}

export class ProviderHandler {
  readonly #providers: Providers | null

  /** `providers` is null if the service has none. */
  constructor(providers: Providers | null) {
    this.#providers = providers
  }

  async answer(request: HttpRequest): Promise<HttpReply> {
    const [, name = '', callback] = pathPattern.exec(request.path)!
    return callback === undefined ? this.#begin(request, name) : this.#finish(request, name)
  }

  async #begin(request: HttpRequest, name: string): Promise<HttpReply> {
    const route = { methods: ['GET', 'HEAD', 'OPTIONS'] } as const
    if (allowedMethod(request.method, route) === 'OPTIONS') return representOptions(route)
    return redirect(await this.#required().begin(name, parametersOf(request), request.headers.cookie))
  }

  async #finish(request: HttpRequest, name: string): Promise<HttpReply> {
    const takesForm = this.#providers?.takesForm(name) === true
    const route = { methods: takesForm ? (['GET', 'POST', 'OPTIONS'] as const) : (['GET', 'OPTIONS'] as const) }
    const method = allowedMethod(request.method, route)
    if (method === 'OPTIONS') return representOptions(route)
    const providers = this.#required()
    if (method === 'POST') return redirect(await providers.receiveForm(name, await readForm(request)))
    try {
      return redirect(await providers.finish(name, parametersOf(request), request.headers.cookie))
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'BAD_REQUEST') throw error
      return { status: 400, headers: { ...pageHeaders }, body: signInFailedPage }
    }
  }

  #required(): Providers {
    if (this.#providers !== null) return this.#providers
    throw new ApiError('NOT_FOUND', 'Nobody signs in with a provider here.', {
      hint: 'The operator can set auth.providers and auth.returnTo.',
    })
  }
}

/** The address has a code, which no other server may learn. */
function redirect({ location, cookies }: BrowserStep): HttpReply {
  return {
    status: 303,
    headers: {
      location,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      ...(cookies.length > 0 && { 'set-cookie': cookies }),
    },
    body: null,
  }
}

function parametersOf({ query }: HttpRequest): URLSearchParams {
  return new URLSearchParams(query)
}

async function readForm(request: HttpRequest): Promise<string> {
  const sent = request.headers['content-type']
  if (sent === undefined || readContentType(sent).type !== formType) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The callback of a provider is a form.', {
      hint: `Send it with "Content-Type: ${formType}".`,
      headers: { accept: formType },
    })
  }
  const body = await request.body()
  if (body.length > maxFormBytes)
    throw new ApiError('PAYLOAD_TOO_LARGE', `A callback has at most ${maxFormBytes} bytes.`)
  return decodeBody(body)
}
