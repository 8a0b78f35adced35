// The body of a write, in UTF-8: JSON, XML where a row is meant, and the two kinds of patch; or a fault that says what would be
// taken (docs/reference/rest.md, R40–R42, R49).

import { ApiError, decodeBody, type HttpRequest, isUtf8Charset, parseJson, readContentType } from '#base'
import type { CustomOperation, Resource } from '#model'
import { readArgumentsXml, readXml } from '../represent/xml/read-xml.ts'

const json: readonly string[] = ['application/json']
export const documents: readonly string[] = ['application/json', 'application/xml', 'text/xml']
export const merges: readonly string[] = ['application/merge-patch+json', 'application/json']
export const jsonPatch = 'application/json-patch+json'
const patches: readonly string[] = [...merges, jsonPatch]

/** What `Accept-Patch` lists (RFC 5789, 3.1). */
export const acceptPatch = patches.join(', ')

/** What is told of a row, or of several. */
export async function readDocument(request: HttpRequest, of: Resource): Promise<unknown> {
  const type = expectType(request, documents)
  const text = decodeBody(await request.body())
  return type === 'application/json' ? expectJson(text) : readXml(text, of)
}

/** What own code takes. */
export async function readArguments(request: HttpRequest, operation: CustomOperation): Promise<unknown> {
  const type = expectType(request, documents)
  const text = decodeBody(await request.body())
  return type === 'application/json' ? expectJson(text) : readArgumentsXml(text, operation)
}

/** Where there is no row that XML could be read by. */
export async function readJson(request: HttpRequest): Promise<unknown> {
  expectType(request, json)
  return expectJson(decodeBody(await request.body()))
}

export async function readPatchBody(request: HttpRequest): Promise<{ kind: 'merge' | 'operations'; body: unknown }> {
  const kind = expectType(request, patches) === jsonPatch ? 'operations' : 'merge'
  return { kind, body: expectJson(decodeBody(await request.body())) }
}

function expectJson(text: string): unknown {
  const parsed = parseJson(text)
  if (parsed.ok) return parsed.value
  throw new ApiError('BAD_REQUEST', `The body is not JSON that can be taken: ${parsed.message}`)
}

function expectType({ method, headers }: HttpRequest, types: readonly string[]): string {
  const sent = headers['content-type']
  if (sent === undefined) throw unsupported('The body has no Content-Type.', method, types)
  const content = readContentType(sent)
  if (!types.includes(content.type)) throw unsupported(`A body of "${sent}" can not be taken.`, method, types)
  if (isUtf8Charset(content)) return content.type
  throw unsupported(`A body in the charset "${content.charset}" can not be taken; it must be UTF-8.`, method, types)
}

function unsupported(message: string, method: string, types: readonly string[]): ApiError {
  const header = method === 'PATCH' ? 'accept-patch' : 'accept'
  return new ApiError('UNSUPPORTED_MEDIA_TYPE', message, {
    hint: `Send it with "Content-Type: ${types.join('" or "')}".`,
    headers: { [header]: types.join(', ') },
  })
}
