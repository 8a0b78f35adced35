// A multipart request (GraphQL multipart request specification): `operations` with a null in the place of each file, `map`
// from each file to its places, then the files.
//
// 1. The server reads nothing of a viewer who may not upload, nor of a request that a page of another site could send
//    without a CORS preflight.
// 2. It checks the places before it receives the first file: each is in the variables, is present and is null.

import { ApiError, parseJson } from '#base'
import { clientKey, type HttpRequest, type Viewer } from '#base/http'
import { type Files, isMultipart, type MultipartPart, type ReceivedFile, readMultipart } from '#files'
import type { Limits } from '#plan'
import { Uploads } from '../execute/uploads.ts'

const maxFiles = 10

/** Browsers send these headers to another site only after a CORS preflight (docs/reference/graphql.md#files). */
const preflightHeaders = ['authorization', 'apollo-require-preflight', 'graphql-require-preflight', 'x-requested-with']

export function isUpload({ headers, method }: HttpRequest): boolean {
  return method === 'POST' && isMultipart(headers['content-type'])
}

/** `operations` is the JSON of the request with the files in their places. */
interface MultipartRequest {
  operations: unknown
  uploads: Uploads
}

/** `files` is null if the model has no field of the type `File`. */
export async function readUploads(
  request: HttpRequest,
  viewer: Viewer,
  files: Files | null,
  { uploadBytes, bodyBytes }: Limits,
): Promise<MultipartRequest> {
  const { headers } = request
  if (files === null) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'No field of the schema takes a file: send application/json.')
  }
  if (!preflightHeaders.some((name) => headers[name] !== undefined)) throw noPreflight()
  files.admit(viewer)
  const uploads = new Uploads(files, viewer, clientKey(viewer, request.address))
  try {
    const stream = request.stream(uploadBytes === 0 ? 0 : uploadBytes + bodyBytes)
    const limits = { textBytes: bodyBytes, files: maxFiles }
    const reader = new MultipartOperations(uploads)
    await readMultipart(stream, headers['content-type'] ?? '', limits, (part) => reader.read(part))
    return { operations: reader.finish(), uploads }
  } catch (error) {
    await uploads.release()
    throw error
  }
}

/** Puts the file into one place of the operations. */
type FileSetter = (file: ReceivedFile) => void

/** Reads the parts in their order. */
class MultipartOperations {
  readonly #uploads: Uploads
  #operations: unknown
  /** The setters of the files that have not arrived yet, by the name of the part. */
  #setters: Map<string, FileSetter[]> | null = null

  constructor(uploads: Uploads) {
    this.#uploads = uploads
  }

  async read(part: MultipartPart): Promise<void> {
    if (this.#operations === undefined) this.#operations = readJson(part, 'operations')
    else if (this.#setters === null) this.#setters = settersOf(readJson(part, 'map'), this.#operations)
    else await this.#receive(part, this.#setters)
  }

  async #receive(part: MultipartPart, setters: Map<string, FileSetter[]>): Promise<void> {
    const ofPart = setters.get(part.name)
    if (part.kind === 'text' || ofPart === undefined) {
      throw malformed(`the part "${part.name}" is no file that "map" names`)
    }
    setters.delete(part.name)
    const file = await this.#uploads.receive(part)
    for (const set of ofPart) set(file)
  }

  finish(): unknown {
    if (this.#operations === undefined || this.#setters === null) throw malformed('"operations" or "map" is missing')
    const [missing] = this.#setters.keys()
    if (missing !== undefined) throw malformed(`the file "${missing}" of "map" is missing`)
    return this.#operations
  }
}

function readJson(part: MultipartPart, name: 'operations' | 'map'): object {
  if (part.kind !== 'text' || part.name !== name) throw malformed(`"${name}" must be the ${ordinal[name]} part`)
  const json = parseJson(part.text)
  if (!json.ok) throw malformed(`"${name}" is not JSON: ${json.message.replace(/\.$/, '')}`)
  if (typeof json.value !== 'object' || json.value === null) throw malformed(`"${name}" must be an object`)
  return json.value
}

const ordinal = { operations: 'first', map: 'second' }

function settersOf(map: object, operations: unknown): Map<string, FileSetter[]> {
  const setters = new Map<string, FileSetter[]>()
  for (const [file, paths] of Object.entries(map)) {
    if (!Array.isArray(paths) || paths.length === 0) throw malformed(`"map" must have a list of paths for "${file}"`)
    setters.set(
      file,
      paths.map((path) => setterAt(path, operations)),
    )
  }
  if (setters.size > maxFiles) throw malformed(`"map" names more than ${maxFiles} files`)
  return setters
}

/** `variables.input.photos.0`. Follows only own properties, which the request itself wrote. */
function setterAt(path: unknown, operations: unknown): FileSetter {
  const keys = typeof path === 'string' ? path.split('.') : []
  const last = keys.pop()
  let at: unknown = operations
  for (const key of keys) at = typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? member(at, key) : null
  const isThere = typeof at === 'object' && at !== null && last !== undefined && Object.hasOwn(at, last)
  if (!isThere || !keys.includes('variables') || last === '__proto__' || member(at as object, last) !== null) {
    throw malformed(`there is no null in the variables at ${JSON.stringify(path) ?? 'nothing'}, which "map" names`)
  }
  return (file) => {
    ;(at as Record<string, unknown>)[last] = file
  }
}

function member(of: object, key: string): unknown {
  return (of as Record<string, unknown>)[key]
}

function noPreflight(): ApiError {
  return new ApiError('BAD_REQUEST', 'A multipart request must have a header that makes browsers send a preflight.', {
    hint: `Send one of ${preflightHeaders.join(', ')}.`,
  })
}

function malformed(reason: string): ApiError {
  return new ApiError('BAD_REQUEST', `The multipart request is malformed: ${reason}.`)
}
