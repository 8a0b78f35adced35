// Parses the body of a write: JSON, XML, NDJSON and CSV for rows, and the two kinds of patch, all in UTF-8 (docs/reference/rest.md, R40–R42,
// R49). A 415 lists the types that the path accepts.

import { ApiError, andThen, type MaybePromise, parseJson } from '#base'
import { decodeBody, type HttpRequest, isUtf8Charset, readContentType } from '#base/http'
import type { CustomOperation, Resource } from '#model'
import { readArgumentsXml, readXml } from './read-xml.ts'
import { type RecordBody, readRecords, recordTypes } from './record-body.ts'

const jsonTypes: readonly string[] = ['application/json']
export const documentTypes: readonly string[] = ['application/json', 'application/xml', 'text/xml']
export const mergePatchTypes: readonly string[] = ['application/merge-patch+json', 'application/json']
export const jsonPatchType = 'application/json-patch+json'
const patchTypes: readonly string[] = [...mergePatchTypes, jsonPatchType]

/** The value of the header `Accept-Patch` (RFC 5789, 3.1). */
export const acceptPatch = patchTypes.join(', ')

/** What a create takes: a document, or a body with a record for each row. */
const createTypes: readonly string[] = [...documentTypes, ...Object.keys(recordTypes)]

export type CreateBody = { kind: 'document'; value: unknown } | ({ kind: 'records' } & RecordBody)

/** One row or an array of rows; or the rows of a body with a record for each. `account`: the account type. */
export function readCreateBody(request: HttpRequest, of: Resource, account: Resource | null): MaybePromise<CreateBody> {
  const format = of.system === undefined ? recordTypes[expectCreateType(request)] : undefined
  if (format === undefined) return andThen(readRowBody(request, of), (value) => ({ kind: 'document', value }))
  return readRecords(request, format, of, account).then((records) => ({ kind: 'records', ...records }))
}

/** The media type of the body of a create. */
export function expectCreateType(request: HttpRequest): string {
  const type = expectType(request, createTypes)
  if (recordTypes[type] !== 'csv' || !hasNoHeader(request)) return type
  throw unsupported('A CSV body needs a header with the names of its columns.', request.method, createTypes)
}

/** `text/csv; header=absent` (RFC 4180, 3). */
function hasNoHeader({ headers }: HttpRequest): boolean {
  return /;\s*header\s*=\s*"?absent\b/i.test(headers['content-type'] ?? '')
}

/** One row, or an array of rows. */
export function readRowBody(request: HttpRequest, of: Resource): MaybePromise<unknown> {
  const type = expectType(request, documentTypes)
  return andThen(request.body(), (bytes) => {
    const text = decodeBody(bytes)
    return type === 'application/json' ? expectJson(text) : readXml(text, of)
  })
}

/** The arguments of a custom operation. */
export async function readArgumentsBody(request: HttpRequest, operation: CustomOperation): Promise<unknown> {
  const type = expectType(request, documentTypes)
  const text = decodeBody(await request.body())
  return type === 'application/json' ? expectJson(text) : readArgumentsXml(text, operation)
}

/** For paths without a resource: XML needs the types of its fields. */
export async function readJsonBody(request: HttpRequest): Promise<unknown> {
  expectType(request, jsonTypes)
  return expectJson(decodeBody(await request.body()))
}

/** Undefined for a request without a body. */
export async function readOptionalJsonBody(request: HttpRequest): Promise<unknown> {
  const body = await request.body()
  if (body.length === 0) return undefined
  expectType(request, jsonTypes)
  return expectJson(decodeBody(body))
}

export async function readPatchBody(request: HttpRequest): Promise<{ kind: 'merge' | 'operations'; body: unknown }> {
  const kind = expectType(request, patchTypes) === jsonPatchType ? 'operations' : 'merge'
  return { kind, body: expectJson(decodeBody(await request.body())) }
}

function expectJson(text: string): unknown {
  const parsed = parseJson(text)
  if (parsed.ok) return parsed.value
  throw new ApiError('BAD_REQUEST', `The body is not valid JSON: ${parsed.message}`)
}

function expectType({ method, headers }: HttpRequest, types: readonly string[]): string {
  const sent = headers['content-type']
  if (sent === undefined) throw unsupported('The body has no Content-Type.', method, types)
  const content = readContentType(sent)
  if (!types.includes(content.type)) throw unsupported(`A body of type "${sent}" is not supported here.`, method, types)
  if (isUtf8Charset(content)) return content.type
  throw unsupported(`The charset "${content.charset}" is not supported; send UTF-8.`, method, types)
}

function unsupported(message: string, method: string, types: readonly string[]): ApiError {
  const header = method === 'PATCH' ? 'accept-patch' : 'accept'
  return new ApiError('UNSUPPORTED_MEDIA_TYPE', message, {
    hint: `Send it with "Content-Type: ${types.join('" or "')}".`,
    headers: { [header]: types.join(', ') },
  })
}
