// Problem details (RFC 9457): the one shape of an error response, in the format that the request accepts.
//
// `type` is a page of this server, `/docs/errors/CODE`, so that it leads to an explanation wherever the server runs (decision 56).
// It is absolute if the public origin is known. An error of HTTP itself has a title of its own and `about:blank`, as section
// 4.2.1 asks for.

import type { Problem } from '../errors/api-error.ts'
import { type Code, catalogue } from '../errors/catalogue.ts'
import { xmlDeclaration, xmlElement, xmlText } from '../text/xml.ts'
import { chooseType } from './media-types.ts'
import type { HttpReply, HttpRequest } from './messages.ts'

interface ProblemDocument {
  type: string
  title: string
  status: number
  detail: string
  /** The path of the request, or the id of the log entry. */
  instance: string
  code: string
  errors: readonly Problem[]
  hint?: string | undefined
}

/** An `ApiError`, or an error of HTTP itself. */
export interface ProblemSource {
  title: string
  status: number
  message: string
  code: string
  problems: readonly Problem[]
  hint?: string | undefined
  headers: Readonly<Record<string, string>>
}

/** As XML if the client prefers XML, as JSON otherwise. */
export function problemReply(
  source: ProblemSource,
  { path, basePath = '', origin, headers: { accept } }: Pick<HttpRequest, 'path' | 'basePath' | 'origin' | 'headers'>,
  instance = basePath + path,
): HttpReply {
  const { status, headers } = source
  const document = problemDocument(source, `${origin ?? ''}${basePath}`, instance)
  const isXml = prefersXml(accept)
  return {
    status,
    headers: {
      'content-type': isXml ? 'application/problem+xml' : 'application/problem+json',
      'cache-control': 'no-store',
      ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}), // RFC 9110, 15.5.2
      ...headers,
    },
    body: isXml ? problemXml(document) : JSON.stringify(document),
  }
}

/** `base` is the address of the API. */
export function problemDocument(
  source: Omit<ProblemSource, 'headers'>,
  base: string,
  instance: string,
): ProblemDocument {
  const { title, status, message: detail, code, problems: errors, hint } = source
  return { type: problemType(source, base), title, status, detail, instance, code, errors, hint }
}

/** The address of the page that explains the error; `base` is that of the API. */
export function problemType({ code, title }: Pick<ProblemSource, 'code' | 'title'>, base: string): string {
  return catalogue[code as Code]?.title === title ? `${base}${errorPages}/${code}` : 'about:blank'
}

export const errorPages = '/docs/errors'

const offers = [
  'application/json',
  'application/problem+json',
  'application/xml',
  'text/xml',
  'application/problem+xml',
] as const

/** False also if the client accepts neither: a problem is always sent. */
function prefersXml(accept: string | undefined): boolean {
  return chooseType(accept, offers)?.endsWith('xml') === true
}

/** The format of RFC 9457, appendix B: items of a list are `<i>`. */
function problemXml({ errors, ...members }: ProblemDocument): string {
  const defined = Object.entries(members).filter(([, value]) => value !== undefined)
  const list = errors.map((problem) => xmlElement('i', Object.entries(problem).map(memberXml).join('')))
  const inner = [...defined.map(memberXml), xmlElement('errors', list.join(''))].join('')
  return `${xmlDeclaration}<problem xmlns="urn:ietf:rfc:7807">${inner}</problem>\n`
}

function memberXml([name, value]: [string, unknown]): string {
  return xmlText(name, value)
}
