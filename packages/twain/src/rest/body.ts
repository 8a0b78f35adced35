// The body of a write: JSON in UTF-8, or a fault that says what would be taken (docs/rest.md, R40–R42).

import { Fault, type HttpRequest, parseJson } from '#base'

export const documents: readonly string[] = ['application/json']
export const patches: readonly string[] = ['application/merge-patch+json', 'application/json']

/** What `Accept-Patch` lists (RFC 5789, 3.1). */
export const acceptPatch = patches.join(', ')

const utf8 = new TextDecoder('utf-8', { fatal: true })

export async function readBody(request: HttpRequest): Promise<unknown> {
  expectMediaType(request)
  const text = decode(await request.body())
  const json = parseJson(text)
  request.exchange?.stages?.mark('body')
  if (json.ok) return json.value
  throw new Fault('BAD_REQUEST', `The body is not JSON that can be taken: ${json.message}`)
}

function expectMediaType({ method, headers }: HttpRequest): void {
  const sent = headers['content-type']
  const types = method === 'PATCH' ? patches : documents
  if (sent === undefined) throw unsupported('The body has no Content-Type.', method, types)
  const [type = '', ...parameters] = sent
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  if (!types.includes(type)) throw unsupported(`A body of "${sent}" can not be taken.`, method, types)
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice(8)
    .replaceAll('"', '')
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') {
    throw unsupported(`A body in the charset "${charset}" can not be taken; it must be UTF-8.`, method, types)
  }
}

function unsupported(message: string, method: string, types: readonly string[]): Fault {
  const header = method === 'PATCH' ? 'accept-patch' : 'accept'
  return new Fault('UNSUPPORTED_MEDIA_TYPE', message, {
    hint: `Send it with "Content-Type: ${types.join('" or "')}".`,
    headers: { [header]: types.join(', ') },
  })
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new Fault('BAD_REQUEST', 'The body is not valid UTF-8.')
  }
}
