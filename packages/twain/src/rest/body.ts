// The body of a write: JSON in UTF-8, or a fault that says what would be taken (docs/rest.md, R40–R42).

import { decodeBody, Fault, type HttpRequest, isUtf8Charset, parseJson, readContentType } from '#base'

const documents: readonly string[] = ['application/json']
const patches: readonly string[] = ['application/merge-patch+json', 'application/json']

/** What `Accept-Patch` lists (RFC 5789, 3.1). */
export const acceptPatch = patches.join(', ')

export async function readBody(request: HttpRequest): Promise<unknown> {
  expectMediaType(request)
  const text = decodeBody(await request.body())
  const json = parseJson(text)
  if (json.ok) return json.value
  throw new Fault('BAD_REQUEST', `The body is not JSON that can be taken: ${json.message}`)
}

function expectMediaType({ method, headers }: HttpRequest): void {
  const sent = headers['content-type']
  const types = method === 'PATCH' ? patches : documents
  if (sent === undefined) throw unsupported('The body has no Content-Type.', method, types)
  const content = readContentType(sent)
  if (!types.includes(content.type)) throw unsupported(`A body of "${sent}" can not be taken.`, method, types)
  if (isUtf8Charset(content)) return
  throw unsupported(`A body in the charset "${content.charset}" can not be taken; it must be UTF-8.`, method, types)
}

function unsupported(message: string, method: string, types: readonly string[]): Fault {
  const header = method === 'PATCH' ? 'accept-patch' : 'accept'
  return new Fault('UNSUPPORTED_MEDIA_TYPE', message, {
    hint: `Send it with "Content-Type: ${types.join('" or "')}".`,
    headers: { [header]: types.join(', ') },
  })
}
