// One request on a socket and its reply, without added headers and without redirects, for black-box audits.

import { type IncomingHttpHeaders, request as send } from 'node:http'

export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  body: string
  /** Whether `100 Continue` came before the reply. */
  continued: boolean
}

export interface ExchangeRequest {
  method?: string
  headers?: Record<string, string>
  body?: string
}

/** A relative path is below the URL. Bodies are JSON unless the request has a content type. */
export function exchange(
  base: string,
  path: string,
  { method = 'GET', headers = {}, body }: ExchangeRequest = {},
): Promise<Reply> {
  const { hostname, port } = new URL(base)
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const typed = body === undefined ? {} : { 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    let continued = false
    const message = send({ hostname, port, path, method, headers: { ...typed, ...length, ...headers }, agent: false })
    message.on('error', reject)
    message.on('continue', () => {
      continued = true
      message.end(body)
    })
    message.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => (text += chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text, continued }),
      )
    })
    if (headers.expect === '100-continue') message.flushHeaders()
    else message.end(body)
  })
}
